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

    ReadOnlySpan<StatementPlan> IExecutable.Plan(ServerSession session)
    {
        if (_text.Length == 0)
            throw new InvalidOperationException("The command has no text: set CommandText.");
        var texts = _connection?.SqlTexts ?? _dataSource!.SqlTexts;
        _plan.Update(_text, _type, _parameters ?? PgParameterCollection.None, texts, session.Parameters.StandardConformingStrings);
        if (_plan.Statements.Length > 1 && HasOutputs)
            throw new NotSupportedException("A command of several statements cannot fill output parameters; run the statement that "
                + "returns them by itself.");
        return _plan.Statements;
    }

    IReadOnlyList<PgBatchCommand> IExecutable.Results(QueryExchange? running) => StatementPlan.Results(_plan.Statements, running);

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
                StatementWriter.Describe(query, plans[i]);
            else
                StatementWriter.Write(query, plans[i], AutoPrepare, WantedFormats(isFirst: i == 0));
        }
    }

    void IStatementSource.ColumnsAreKnown(bool areKnown) => _plan.Statements[0].Source.AreColumnsKnown = areKnown;

    bool IExecutable.PreparesAt(int statement) => AutoPrepare;

    bool IExecutable.HasBarrierAt(int statement) => false;

    void IExecutable.FillOutputs(PgDataReader reader) => OutputParameters.Fill(Parameters, reader);

    Exception? IExecutable.Ended(QueryExchange query, Exception? error)
    {
        StatementPlan.Take(_plan.Statements, query);
        if (error is null)
            StatementPlan.RememberColumns(_plan.Statements, query);
        return error;
    }

    private ReadOnlySpan<FormatCode> WantedFormats(bool isFirst) => AllResultTypesAreUnknown
        ? [FormatCode.Text]
        : isFirst && UnknownResultTypeList is { } list ? Array.ConvertAll(list, text => text ? FormatCode.Text : FormatCode.Binary) : [];
}
