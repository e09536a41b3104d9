"""The workbench: Sfumato in the browser, on a project folder of ordinary files that the command line reads, too.

Pages show and ask; whatever takes time runs in processes of its own (:mod:`sfumato.web.worker`). Nothing lives
only in the browser: data, policies, hierarchies, workloads, studies and releases are files of the project.
"""
