using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

// What runs the command sees of it.
public partial class PgCommand : IExecutable
{
    PgDataSource? IExecutable.DataSource => _dataSource;

    int IExecutable.TimeoutMilliseconds =>
        CommandTimeout is > 0 and var seconds ? (int)Math.Min(int.MaxValue, seconds * 1000L) : Timeout.Infinite;

    /// <summary>Milliseconds that each wait may last on that connection, which counts only where the command has none of its own.</summary>
    internal int TimeoutOn(PgConnection connection) =>
        _timeout < 0 && _connection is null ? connection.OwnTimeout : ((IExecutable)this).TimeoutMilliseconds;

    ref Execution IExecutable.Execution => ref _execution;

    bool IExecutable.HasOutputs => HasOutputs;

    private bool HasOutputs => _parameters is not null && _parameters.HasOutputs();

    /// <summary>The statements as they were written last.</summary>
    internal StatementPlan[] PlanAsWritten => _plan.Statements;

    void IExecutable.CheckDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);

    ReadOnlySpan<StatementPlan> IExecutable.Plan(ServerSession session)
    {
        if (_text.Length == 0)
            throw new InvalidOperationException("The command has no text: set CommandText.");
        var texts = _connection?.SqlTexts ?? _dataSource!.SqlTexts;
        var parameters = ((IExecutable)this).ParametersAt(0);
        if (_plan.Update(_text, CommandType, parameters, texts, session.Parameters.StandardConformingStrings))
            _outcomes = default;
        if (_plan.Statements.Length > 1 && HasOutputs)
            throw new NotSupportedException("A command of several statements cannot fill output parameters; run the statement that "
                + "returns them by itself.");
        return _plan.Statements;
    }

    IReadOnlyList<PgBatchCommand> IExecutable.Results(QueryExchange? running)
    {
        if (running is not null)
            _outcomes.Take(_plan.Statements.Length, running);
        return _outcomes.Of(_plan.Statements);
    }

    void IStatementSource.Write(CommandExchange exchange)
    {
        ((IExecutable)this).CheckDisposed();
        var query = exchange.Query;
        var plans = ((IExecutable)this).Plan(exchange.Session);
        query.IsSingle = plans.Length == 1;
        for (var i = 0; i < plans.Length; i++)
        {
            query.Portal.Rows = exchange.MayFetchInPortions && i == plans.Length - 1 ? _fetchSize : 0;
            if (exchange.DescribesOnly)
                StatementWriter.Describe(query, this, i, plans[i]);
            else
                StatementWriter.Write(query, this, i, plans[i], WantedFormats(isFirst: i == 0));
        }
    }

    void IStatementSource.ColumnsAreKnown(bool areKnown) => _plan.Statements[0].Source.AreColumnsKnown = areKnown;

    bool IExecutable.PreparesAt(int statement) => AutoPrepare;

    PgParameterCollection IExecutable.ParametersAt(int statement) => _parameters ?? PgParameterCollection.None;

    void IExecutable.Hold(int statement, CachedStatement? prepared) => _plan.Hold(statement, prepared);

    bool IExecutable.HasBarrierAt(int statement) => false;

    void IExecutable.FillOutputs(PgDataReader reader) => OutputParameters.Fill(Parameters, reader);

    Exception? IExecutable.Ended(QueryExchange query, Exception? error)
    {
        _outcomes.Take(_plan.Statements.Length, query);
        if (error is null)
            StatementPlan.RememberColumns(_plan.Statements, query);
        return error;
    }

    private ReadOnlySpan<FormatCode> WantedFormats(bool isFirst) => AllResultTypesAreUnknown
        ? [FormatCode.Text]
        : isFirst && UnknownResultTypeList is { } list ? Array.ConvertAll(list, text => text ? FormatCode.Text : FormatCode.Binary) : [];
}
