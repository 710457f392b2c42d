using Loxo.Diagnostics;
using Loxo.Session;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

/// <summary>How the sessions of a server can be reset.</summary>
internal enum ResetForm
{
    /// <summary>By the statements of <see cref="ResetText"/>.</summary>
    Statements,

    /// <summary>By DISCARD ALL.</summary>
    DiscardAll,

    /// <summary>Not at all: a session that would have to be reset is closed.</summary>
    None,
}

/// <summary>
/// Finds out how a server resets sessions: not every server that speaks the protocol knows all of PostgreSQL's statements. Until one form
/// has succeeded, the next renter waits for the reply, so that a refusal costs it a new session instead of its command.
/// </summary>
internal sealed class ResetTrial
{
    private readonly ILogger _log;
    private readonly string _host;
    private readonly Action<string?[]?, ServerErrorFields?> _statementsAnswered;
    private readonly Action<string?[]?, ServerErrorFields?> _discardAllAnswered;
    private volatile ResetForm _form;
    private volatile bool _isProven;
    private volatile bool _isRunning;

    public ResetTrial(ILogger log, string host)
    {
        (_log, _host) = (log, host);
        _statementsAnswered = (_, error) => Answered(ResetForm.Statements, error);
        _discardAllAnswered = (_, error) => Answered(ResetForm.DiscardAll, error);
    }

    /// <summary>The form to use now.</summary>
    public ResetForm Form => _form;

    /// <summary>Whether a reset has been sent, and none has succeeded so far.</summary>
    public bool IsRunning => _isRunning;

    /// <summary>Writes the reset in the form that is known to work, or is tried next.</summary>
    /// <param name="session">Claimed by the caller.</param>
    /// <param name="sql">The text of <see cref="ResetText.For"/>.</param>
    /// <returns>Whether it forgets prepared statements, whatever the text says.</returns>
    public bool Write(ServerSession session, string sql)
    {
        if (_isProven && _form == ResetForm.Statements)
        {
            session.Deferred.Write(sql);
            return false;
        }
        _isRunning = !_isProven;
        if (_form == ResetForm.Statements)
        {
            session.Deferred.WriteRequired(sql, _statementsAnswered);
            return false;
        }
        // Not in one text: DISCARD ALL cannot be part of a transaction, which several statements are.
        if (ResetText.RollsBack(sql))
            session.Deferred.Write(ResetText.Rollback);
        session.Deferred.WriteRequired(ResetText.DiscardAll, _discardAllAnswered);
        return true;
    }

    private void Answered(ResetForm form, ServerErrorFields? error)
    {
        if (_isProven || form != _form)
            return;
        var reason = error?.MessageText ?? error?.SqlState ?? "no reason given";
        if (error is null)
        {
            _isProven = true;
            _isRunning = false;
        }
        else if (!IsNotUnderstood(error))
        {
            return;
        }
        else if (form == ResetForm.Statements)
        {
            _form = ResetForm.DiscardAll;
            PoolLog.ResetIsDiscardAll(_log, _host, reason);
        }
        else
        {
            _form = ResetForm.None;
            PoolLog.ResetRefused(_log, _host, reason);
        }
    }

    // Some servers report what they cannot parse as an internal error.
    private static bool IsNotUnderstood(ServerErrorFields error) =>
        StatementErrors.IsNotUnderstood(error) || error.SqlState == SqlStates.InternalError;
}
