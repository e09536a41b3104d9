"""Attackers on daily activities by the book: classes looked at one by one, slots tried one by one."""


def class_members(release, rows):
    """Original rows by class name."""
    members, first = {}, 0
    for entry in release.extra_tables["classes"].table.to_pylist():
        members[entry["class"]] = [int(row) for row in rows[first : first + entry["size"]]]
        first += entry["size"]
    return members


def listed_activities(release):
    """What each class is published to do, by class and place of the interval."""
    table = release.table.to_pylist()
    order = {begin: place for place, begin in enumerate(sorted({row["interval"] for row in table}))}
    done = {}
    for row in table:
        done.setdefault((row["class"], order[row["interval"]]), set()).add(row["activity"])
    return done


def fitting_people(release, day, known, length):
    """How many people are in classes that do what is known of a day in some slots."""
    done = listed_activities(release)
    return sum(
        entry["size"]
        for entry in release.extra_tables["classes"].table.to_pylist()
        if all(day[slot] in done[entry["class"], slot // length] for slot in known)
    )


def best_slots(days, person, m):
    """How many people share the slots of a person that, one by one, leave fewest."""
    left, sizes = list(days), []
    for _ in range(m):
        mine = days[person]
        counts = [sum(day[slot] == mine[slot] for day in left) for slot in range(len(mine))]
        slot = counts.index(min(counts))
        left = [day for day in left if day[slot] == mine[slot]]
        sizes.append(len(left))
    return sizes


def advance(now, then, activity, gap=None):
    """What somebody does next, if as few people as possible change; now and then count people by activity."""
    if then.get(activity, 0) >= now[activity]:
        return activity
    more = [label for label in then if then[label] > now.get(label, 0)]
    if then.get(activity, 0) == 0 and len(more) == 1 and more[0] != gap:
        return more[0]
    return None


def follow_person(days, members, person, slot, gap=None):
    """What is predicted of the slots after a known one, slot by slot."""
    counts = [{} for _ in days[0]]
    for member in members:
        for at, label in enumerate(days[member]):
            counts[at][label] = counts[at].get(label, 0) + 1
    activity, predicted = days[person][slot], []
    for at in range(slot, len(counts) - 1):
        activity = advance(counts[at], counts[at + 1], activity, gap)
        if activity is None:
            break
        predicted.append(activity)
    return predicted
