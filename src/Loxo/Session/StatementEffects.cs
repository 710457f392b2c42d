using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// The changes that statements may have made: to the session, which its pool resets, and to the meaning of names, which invalidates
/// prepared statements.
/// </summary>
internal sealed class StatementEffects(ServerSession session)
{
    private SessionMarks _ofTransaction;
    private long _epoch;
    private bool _hasOtherNames;

    /// <summary>The kinds of state that may have been left behind since the session was handed out.</summary>
    public SessionMarks Marks { get; private set; }

    /// <summary>The functions that attribute notation reaches in the database, as known when the session was handed out.</summary>
    public ReachableFunctions Reachable { get; private set; }

    /// <summary>
    /// The clock of prepared statements. It advances whenever names may have changed their meaning: after DDL, after SET search_path, or
    /// after an error that showed it. A statement that was parsed at another time is parsed again with its next use.
    /// </summary>
    public long Epoch => _epoch + session.Context.Invalidations;

    /// <summary>Whether names without a schema may mean other objects here than in the data source's other sessions.</summary>
    public bool HasOtherNames => _hasOtherNames || HasOtherNamesInTransaction;

    /// <summary>Whether the open transaction may have changed the meaning of names.</summary>
    public bool HasOtherNamesInTransaction => (_ofTransaction & SessionMarks.Names) != 0;

    /// <summary>The session goes to a connection: nothing has been left behind yet.</summary>
    public void HandOver()
    {
        Marks = SessionMarks.None;
        Reachable = session.Context.Reachable?.Invoke() ?? default;
    }

    /// <summary>A statement is sent that may leave something behind.</summary>
    public void Add(SessionMarks marks)
    {
        Marks |= marks;
        _hasOtherNames |= (marks & (SessionMarks.Names | SessionMarks.State)) == (SessionMarks.Names | SessionMarks.State);
        _ofTransaction |= marks & (SessionMarks.Names | SessionMarks.Statements | SessionMarks.Routines | SessionMarks.Definitions);
        Invalidate(marks);
    }

    /// <summary>
    /// The transaction has ended. A rollback takes back what was changed, names included; a commit shows its routines and definitions to
    /// others.
    /// </summary>
    /// <param name="isLast">Whether no other statement is on its way; its changes would come later.</param>
    public void EndTransaction(bool isLast = true)
    {
        if (_ofTransaction == SessionMarks.None)
            return;
        var marks = _ofTransaction;
        if (isLast)
            _ofTransaction = SessionMarks.None;
        Invalidate(marks);
        // A prepared statement goes on meaning the table that it found, even if another one comes to stand nearer in its search path
        // (RevalidateCachedQuery, plancache.c).
        if ((marks & SessionMarks.Definitions) != 0)
            session.Context.ForgetMeanings();
    }

    /// <summary>
    /// The connection has ended before the outcome of the transaction was known: the server may have committed it, or may yet.
    /// </summary>
    public void LoseTransaction()
    {
        if ((_ofTransaction & SessionMarks.Routines) != 0)
            session.Context.RoutinesOutcomeUnknown?.Invoke(session.ProcessId);
        EndTransaction();
    }

    /// <summary>The statements that have been parsed in this session may mean something else from now on.</summary>
    public void ForgetMeanings() => _epoch++;

    /// <summary>A statement was sent that sets the search path, and all other settings, back.</summary>
    public void NamesAreReset() => _hasOtherNames = false;

    private void Invalidate(SessionMarks marks)
    {
        if ((marks & SessionMarks.Routines) != 0)
            session.Context.RoutinesMayChange?.Invoke();
        if ((marks & SessionMarks.Names) != 0)
            session.Context.DefinitionsChanged();
        if ((marks & (SessionMarks.Names | SessionMarks.Statements)) != 0)
            _epoch++;
    }
}
