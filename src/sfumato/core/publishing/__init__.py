"""From what a method made to what is published: order, names, values and what is left out."""
