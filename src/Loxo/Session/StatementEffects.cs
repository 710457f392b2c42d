using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// The changes that statements may have made: to the session, which its pool resets, and to the meaning of names, which invalidates
/// prepared statements.
/// </summary>
internal sealed class StatementEffects(ServerSession session)
{
    private SessionChanges _ofTransaction;
    private long _epoch;
    private long _functionCalls;
    private bool _hasOtherNames;
    private bool _definesCode;
    private List<string?>? _databases;

    /// <summary>The kinds of changes that may have been made since the session was handed out.</summary>
    public SessionChanges Changes { get; private set; }

    /// <summary>The functions of the database, as known when the session was handed out.</summary>
    public ReachableFunctions Reachable { get; private set; }

    /// <summary>
    /// The functions of the database, as known at the moment. What the session has made itself the audit may not see, so that any function
    /// may be one of its own.
    /// </summary>
    public ReachableFunctions ReachableNow => session.Context.Database.Reachable?.Invoke() is not { } now ? default
        : (Changes & SessionChanges.Routines) == 0 ? now
        : now with { IsUnknown = true, UnseenNameChanges = _definesCode ? UnseenNameChanges.ByAny : now.UnseenNameChanges };

    /// <summary>
    /// Whether a query may change something that its text does not show: as far as is known of the database, or by code that the session
    /// has made itself.
    /// </summary>
    public bool MayHideChanges => (Changes & SessionChanges.Routines) != 0 || ReachableNow.HidesChanges;

    /// <summary>
    /// The clock of prepared statements. It advances whenever names may have changed their meaning: after DDL, after SET search_path, or
    /// after an error that showed it. A statement that was parsed at another time is parsed again with its next use.
    /// </summary>
    public long Epoch => TypesEpoch + _functionCalls;

    /// <summary>
    /// The clock of type names. It stands still when a function may have changed the meaning of names: a command that calls one is written
    /// again after a lookup of its types, which must still be known then.
    /// </summary>
    public long TypesEpoch => _epoch + session.Context.Database.Invalidations;

    /// <summary>Whether names without a schema may mean other objects here than in the data source's other sessions.</summary>
    public bool HasOtherNames => _hasOtherNames || HasOtherNamesInTransaction;

    /// <summary>Whether the open transaction may have changed the meaning of names.</summary>
    public bool HasOtherNamesInTransaction => (_ofTransaction & SessionChanges.Types) != 0;

    /// <summary>The kinds of changes that the open transaction may have made, and that a commit shows to others.</summary>
    public SessionChanges OfTransaction => _ofTransaction;

    /// <summary>The first reason for a reset since the session was handed out; null for none.</summary>
    public PgResetReason? ResetReason { get; private set; }

    /// <summary>Forgets the changes: the session goes to a connection.</summary>
    public void HandOver()
    {
        Changes = SessionChanges.None;
        _definesCode = false;
        ResetReason = null;
        Reachable = session.Context.Database.Reachable?.Invoke() ?? default;
    }

    /// <summary>Adds the changes that a statement may make when it is sent.</summary>
    /// <param name="changes">The changes.</param>
    /// <param name="reason">Why the session is reset if they change its state.</param>
    public void Add(SessionChanges changes, PgResetReason reason = PgResetReason.ChangedByStatement)
    {
        if ((changes & ~SessionChanges.Names) != SessionChanges.None)
            ResetReason ??= reason;
        Changes |= changes;
        // By its text. DO and CALL, which may do so too, may also touch prepared statements.
        _definesCode |= (changes & (SessionChanges.Routines | SessionChanges.Statements)) == SessionChanges.Routines;
        _hasOtherNames |= (changes & (SessionChanges.Types | SessionChanges.State)) == (SessionChanges.Types | SessionChanges.State);
        var former = _ofTransaction;
        _ofTransaction |= changes & ~SessionChanges.State;
        Invalidate(changes, (changes & ~former & SessionChanges.Routines) != 0 ? 1 : 0);
    }

    /// <summary>Adds the names of databases that the statement may make, drop or rename; null for any.</summary>
    public void AddDatabases(IEnumerable<string?> names)
    {
        (_databases ??= []).AddRange(names);
        TellDatabases(process: null);
    }

    /// <summary>
    /// The transaction has ended. A rollback takes back what was changed, names included; a commit shows its routines and definitions to
    /// others.
    /// </summary>
    /// <param name="isLast">Whether no other statement is on its way; its changes would come later.</param>
    public void EndTransaction(bool isLast = true)
    {
        if (_ofTransaction == SessionChanges.None)
            return;
        var changes = _ofTransaction;
        if (isLast)
            _ofTransaction = SessionChanges.None;
        Invalidate(changes, isLast ? -1 : 0);
        TellDatabases(process: null);
        if (isLast)
            _databases = null;
        // A prepared statement goes on meaning the table that it found, even if another one comes to stand nearer in its search path
        // (RevalidateCachedQuery, plancache.c).
        if ((changes & SessionChanges.Definitions) != 0)
            session.Context.Database.ForgetMeanings();
    }

    /// <summary>
    /// The connection has ended before the outcome of the transaction was known: the server may have committed it, or may yet.
    /// </summary>
    public void LoseTransaction()
    {
        if ((_ofTransaction & SessionChanges.Routines) != 0)
            session.Context.Database.RoutinesOutcomeUnknown?.Invoke(session.ProcessId);
        TellDatabases(session.ProcessId);
        EndTransaction();
    }

    /// <summary>The statements that have been parsed in this session may mean something else from now on.</summary>
    public void ForgetMeanings() => _epoch++;

    /// <summary>A statement was sent that sets the search path, and all other settings, back.</summary>
    public void NamesAreReset() => _hasOtherNames = false;

    private void TellDatabases(int? process)
    {
        if (_databases is null)
            return;
        foreach (var name in _databases)
            session.Context.Database.DatabaseMayChange?.Invoke(name, process);
    }

    private void Invalidate(SessionChanges changes, int transactions)
    {
        if ((changes & SessionChanges.Routines) != 0)
            session.Context.Database.RoutinesMayChange?.Invoke(transactions);
        if ((changes & SessionChanges.Types) != 0)
            session.Context.Database.DefinitionsChanged();
        if ((changes & (SessionChanges.Types | SessionChanges.Statements)) != 0)
            _epoch++;
        else if ((changes & SessionChanges.Names) != 0)
            _functionCalls++;
    }
}
