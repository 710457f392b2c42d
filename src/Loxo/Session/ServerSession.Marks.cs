namespace Loxo.Session;

/// <summary>What statements may have left behind, in the session and in the database.</summary>
internal sealed partial class ServerSession
{
    /// <summary>What attribute notation reaches in the database, as it was known when the session was handed out.</summary>
    public ReachableFunctions Reachable { get; private set; }

    /// <summary>Whether the server may know other prepared statements than <see cref="Statements"/> says; kept here for the pool.</summary>
    public bool StatementsInDoubt { get; set; }

    /// <summary>A statement is sent that may leave something behind.</summary>
    public void Mark(SessionMarks marks)
    {
        Marks |= marks;
        _hasOtherNames |= (marks & (SessionMarks.Names | SessionMarks.State)) == (SessionMarks.Names | SessionMarks.State);
        _marksOfTransaction |= marks & (SessionMarks.Names | SessionMarks.Statements | SessionMarks.Routines);
        Change(marks);
    }

    // A rollback, that of a single failed flight too, takes back what was changed, names included; a commit shows others the routines.
    private void EndMarks()
    {
        var marks = _marksOfTransaction;
        _marksOfTransaction = SessionMarks.None;
        Change(marks);
    }

    // The connection ends and nobody will say how the transaction did: the server may have committed it, or may yet.
    private void LoseTransaction()
    {
        if ((_marksOfTransaction & SessionMarks.Routines) != 0)
            Context.RoutinesOutcomeUnknown?.Invoke(ProcessId);
        EndMarks();
    }

    private void Change(SessionMarks marks)
    {
        if ((marks & SessionMarks.Routines) != 0)
            Context.RoutinesMayChange?.Invoke();
        if ((marks & SessionMarks.Names) != 0)
            Context.DefinitionsChanged();
        if ((marks & (SessionMarks.Names | SessionMarks.Statements)) != 0)
            _epoch++;
    }
}
