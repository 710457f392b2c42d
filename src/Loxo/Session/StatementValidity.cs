using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// Whether the server means by a prepared statement what its text means now. The clock is <see cref="StatementEffects.Epoch"/>. A Parse on
/// its way counts as well, where nothing can make the server skip it.
/// </summary>
internal sealed class StatementValidity(ServerSession session)
{
    /// <summary>Whether the server knows the statement and means by it what it meant when it parsed it.</summary>
    public bool IsCurrent(CachedStatement statement) =>
        statement.IsOnServer && statement.LastParse.IsAnswered && statement.LastParse.Epoch == session.Effects.Epoch;

    /// <summary>Whether it is known what the statement returns, types and all.</summary>
    public bool IsDescribed(CachedStatement statement) =>
        statement.IsDescribed && ReferenceEquals(statement.DescribedBy, session.Types.Stamp);

    /// <summary>Whether the last Parse of the statement was written under names that still mean the same.</summary>
    public bool IsOfThisEpoch(CachedStatement statement) => statement.LastParse.Epoch == session.Effects.Epoch;

    /// <summary>
    /// Writes Parse, with Close in front of it if the name may be taken. Nothing if the server knows the statement, or will when it
    /// comes to the messages that follow.
    /// </summary>
    /// <param name="requests">Where to write.</param>
    /// <param name="statement">It is used next.</param>
    /// <param name="firstGroup">The group with which the exchange begins.</param>
    /// <param name="mayBeSkipped">Whether the server may skip the Parse: something in front of it in its group can fail.</param>
    /// <returns>The Parse; null for none.</returns>
    /// <remarks>
    /// A Parse in front will have been done, or this statement is skipped with it, if both are in one group. A Parse of an exchange in
    /// front that has not been answered fails only if the statement is wrong, unless its group may skip it, or a transaction may have
    /// failed: Bind fails then, and nothing has run. Otherwise the server may or may not have the statement, and Close frees its name in
    /// either case. A pooler takes the name when it passes Parse on, whatever the server makes of it, and closes the connection when the
    /// name comes again.
    /// </remarks>
    public DueParse? WriteParse(RequestWriter requests, CachedStatement statement, long firstGroup, bool mayBeSkipped)
    {
        var last = statement.LastParse;
        var epoch = session.Effects.Epoch;
        var group = session.Groups.Current;
        var isOnItsWay = session.Groups.IsDue(last.Group);
        if (IsCurrent(statement)
            || (isOnItsWay && last.Epoch == epoch
                && (last.Group == group || (last.Group < firstGroup && !last.MayBeSkipped && !TransactionMayHaveFailed))))
            return null;
        var closes = statement.IsOnServer || isOnItsWay || (session.IsPooledElsewhere && last.WasSent)
            || session.Statements.IsClosing(statement.Name);
        if (closes)
            requests.CloseStatement(statement.Name);
        requests.Parse(statement.Name, statement.Sql, statement.ParameterTypes);
        statement.LastParse = new StatementParse(epoch, group, mayBeSkipped);
        return new DueParse(statement, epoch, group, closes, last);
    }

    // An open one, or one that begins with what is on its way.
    private bool TransactionMayHaveFailed => session.TransactionStatus != TransactionStatus.Idle || session.Groups.BeginIsDue;
}
