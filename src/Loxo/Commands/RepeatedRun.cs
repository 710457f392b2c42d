using System.Runtime.ExceptionServices;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>
/// One run of a command for many rows: binds and writes row after row, looks types up, and turns the end into a result. A row costs no
/// object.
/// </summary>
internal sealed class RepeatedRun
{
    private readonly PgCommand _command;
    private readonly IExecutable _executable;
    private readonly RepeatedExchange _exchange;
    private StatementPlan? _statement;
    private int _version;
    private bool _isNoted;
    private Exception? _stopped;

    private RepeatedRun(PgCommand command, RepeatedExchange exchange)
    {
        (_command, _executable, _exchange) = (command, command, exchange);
        _executable.Execution.Start(Session);
        Session.Trace = CommandTracing.BeginMany(command, Session);
    }

    /// <summary>How the caller goes on behind a row.</summary>
    public enum Next : byte
    {
        /// <summary>With the next row.</summary>
        Row,

        /// <summary>The row was not written: types have to be looked up first.</summary>
        LookUp,

        /// <summary>With sending.</summary>
        Send,

        /// <summary>With the end: a stop was requested.</summary>
        Stop,
    }

    private ServerSession Session => _exchange.Session;

    /// <summary>Whether the connection is lost.</summary>
    public bool IsBroken => Session.State == SessionState.Broken;

    /// <summary>Claims the session; nothing is written yet.</summary>
    public static RepeatedRun Begin(PgCommand command)
    {
        var session = Checked(command);
        return new RepeatedRun(command, session.Begin(command.Connection, static (claimed, _) => new RepeatedExchange(claimed), 0));
    }

    /// <inheritdoc cref="Begin"/>
    public static async ValueTask<RepeatedRun> BeginAsync(PgCommand command)
    {
        var session = Checked(command);
        var begun = session.BeginAsync(command.Connection, static (claimed, _) => new RepeatedExchange(claimed), 0);
        return new RepeatedRun(command, await begun.ConfigureAwait(false));
    }

    /// <summary>Writes a row with the parameters as they are now.</summary>
    public Next Write(CancellationToken token)
    {
        if (IsStopRequested(token))
            return Next.Stop;
        var statement = PlanOf(_command, Session);
        if (!ReferenceEquals(statement, _statement) || _version != _command.Parameters.Version)
            Enter(statement);
        var values = new StatementValues(statement, _command.Parameters);
        values.Bind(Session.Types);
        if (Session.Types.NamesToLookUp.Count > 0)
            return Next.LookUp;
        if (!_exchange.Fits(Session.Types.Bound, Session.Types.NullsMatch))
            Choose(statement);
        _exchange.Add(values);
        return _exchange.MustSend ? Next.Send : Next.Row;
    }

    /// <summary>Looks the types up that the row needs, and writes it. Blocks.</summary>
    public Next WriteAfterLookup()
    {
        _exchange.LookUpTypes();
        Session.Pump(_exchange, _executable.TimeoutMilliseconds);
        return _exchange.HasEnded ? Next.Stop : Write(CancellationToken.None);
    }

    /// <inheritdoc cref="WriteAfterLookup"/>
    public async ValueTask<Next> WriteAfterLookupAsync(CancellationToken token)
    {
        _exchange.LookUpTypes();
        await Session.PumpAsync(_exchange, _executable.TimeoutMilliseconds, token).ConfigureAwait(false);
        return _exchange.HasEnded ? Next.Stop : Write(token);
    }

    /// <summary>Blocks until the rows have been sent. False if the server has ended the run.</summary>
    public bool Send()
    {
        _exchange.Sending();
        return Session.Pump(_exchange, _executable.TimeoutMilliseconds) == Progress.Sent;
    }

    /// <inheritdoc cref="Send"/>
    public ValueTask<Progress> SendAsync(CancellationToken token)
    {
        _exchange.Sending();
        return Session.PumpAsync(_exchange, _executable.TimeoutMilliseconds, token);
    }

    /// <summary>Ends the rows. True if replies are due.</summary>
    public bool End(CancellationToken token)
    {
        if (IsStopRequested(token) && !_exchange.HasEnded)
            return Stop(token);
        if (_exchange.IsEmpty)
            return false;
        _exchange.End();
        // Names that the rows have changed are not those under which the statement was parsed.
        if (_statement is { } statement)
            StatementChanges.Add(Session, statement);
        return _exchange.IsDue;
    }

    /// <summary>The rows have failed on the client's side: undoes those that were sent. True if replies are due.</summary>
    public bool Undo()
    {
        if (IsBroken)
            return false;
        _exchange.Undo();
        return _exchange.IsDue;
    }

    /// <summary>Blocks until the run is over.</summary>
    public void Finish() => Session.Pump(_exchange, _executable.TimeoutMilliseconds);

    /// <inheritdoc cref="Finish"/>
    public ValueTask<Progress> FinishAsync(CancellationToken token) =>
        Session.PumpAsync(_exchange, _executable.TimeoutMilliseconds, token);

    /// <summary>The rows changed, or -1. Throws the error of the run.</summary>
    public long Result(CancellationToken token)
    {
        if ((_exchange.Error is { } fields ? ErrorOf(fields, token) : _stopped) is { } error)
            ExceptionDispatchInfo.Throw(error);
        return _exchange.IsEmpty ? 0 : _exchange.RecordsAffected;
    }

    /// <summary>The run ends with that error.</summary>
    public void Failed(Exception error) => Session.Trace?.End(error);

    /// <summary>Frees the session.</summary>
    public void Release()
    {
        _executable.Execution.End();
        Session.Trace?.Statements?.Complete(0, Math.Max(0, _exchange.RecordsAffected));
        Session.Trace?.End(null);
        Session.Trace = null;
        Session.Types.CommandWritten();
        Session.End();
        _command.Connection?.CommandEnded();
    }

    private static ServerSession Checked(PgCommand command)
    {
        OwnSession.Note(command.Connection, PgOwnSessionReason.Pipeline, command.CommandText);
        var session = CommandRunner.SessionOf(command);
        if (((IExecutable)command).HasOutputs)
            throw RepeatedErrors.Outputs();
        Check(PlanOf(command, session), session);
        return session;
    }

    // The parameters, and even the text, may have changed since the row before.
    private static StatementPlan PlanOf(PgCommand command, ServerSession session)
    {
        var statements = ((IExecutable)command).Plan(session);
        return statements.Length == 1 ? statements[0] : throw RepeatedErrors.SeveralStatements(statements.Length);
    }

    private static void Check(StatementPlan statement, ServerSession session)
    {
        var source = statement.Source;
        if (source.IsPlannable)
            return;
        var conforming = session.Parameters.StandardConformingStrings;
        // With positional parameters a text was not split: the server would refuse it as an error of the first row.
        if (SqlSplitter.Split(source.Source, conforming) is { Length: > 1 } several)
            throw RepeatedErrors.SeveralStatements(several.Length);
        if (SqlCopy.IsCopy(source.Source, conforming))
            throw RepeatedErrors.Copy();
    }

    private bool IsStopRequested(CancellationToken token) => token.IsCancellationRequested || Session.StopReason != StopReason.None;

    private void Enter(StatementPlan statement)
    {
        Check(statement, Session);
        var certain = statement.Source.CertainChange;
        if (certain != SqlCertainChange.None && Session.Context.Settings.Pooler != Pooler.None)
            PoolerRules.Check(certain, Session);
        if (_executable.HasOutputs)
            throw RepeatedErrors.Outputs();
        (_statement, _version) = (statement, _command.Parameters.Version);
        _isNoted = false;
        _exchange.Forget();
    }

    // A pooler may not have the statement in the server process of this transaction, and there is no second attempt: the unnamed statement
    // always works, and one Parse for all rows costs little.
    private void Choose(StatementPlan statement)
    {
        if (!_isNoted)
            Note(statement);
        var named = Session.KeepsDescriptions
            ? StatementWriter.Named(Session, statement, Session.Types.Bound, _command.AutoPrepare, _exchange.Number, atOnce: true)
            : null;
        if (named is not null)
            _exchange.Use(named);
        else
            _exchange.Use(statement.Sql, Session.Types.Bound);
    }

    // In front of its Parse: changes to the meaning of names would have the next row parse it again.
    private void Note(StatementPlan statement)
    {
        _isNoted = true;
        Session.Record?.Add(statement.Sql);
        StatementChanges.Add(Session, statement);
    }

    private bool Stop(CancellationToken token)
    {
        var reason = Session.StopReason != StopReason.None ? Session.StopReason : StopReason.Cancel;
        _stopped = _exchange.IsSent ? SessionErrors.StoppedWithinRows(reason, token) : SessionErrors.StoppedBefore(reason, token);
        _exchange.Undo();
        return _exchange.IsDue;
    }

    private Exception ErrorOf(ServerErrorFields fields, CancellationToken token)
    {
        var error = CommandRunner.ErrorOf(Session, fields, Session.StopReason, token, _exchange.FailedRow);
        if (error is not PostgresException refused)
            return error;
        error = MissingParameters.Explain(refused, _executable.Plan(Session), 0);
        return _exchange.FailedBeforeExecution && ReferenceEquals(error, refused) ? RetryPolicy.Explain(fields, refused) : error;
    }
}
