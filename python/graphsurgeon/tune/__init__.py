"""`graphsurgeon tune`: a search for good options, by Optuna.

The study lies in a storage that several workers, and several machines, may share; each worker loads the graph once and
trains in its own process. A trial trains in pieces: after each, a linear probe of the validation nodes (or, without
labels, the effective rank) tells the pruner how it does. Test labels are never read.

command    the command: its options, errors and exit codes
settings   what a search is asked to do
study      the study in its storage: begun, gone on with, where it starts, when it is done
owner      whose a trial is, and trials whose worker died
objective  one trial: trained in pieces, scored after each
workers    the processes that run trials
results    what the folder holds in the end, and whose it is
"""
