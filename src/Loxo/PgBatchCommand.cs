using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Parameters;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo;

/// <summary>One statement of a <see cref="PgBatch"/>, and what came of it.</summary>
public sealed class PgBatchCommand : DbBatchCommand
{
    private PgParameterCollection? _parameters;
    private CommandPlan _plan = new();
    // Shorter than the enum, since every command has it.
    private short _type = (short)CommandType.Text;

    /// <summary>A statement without text.</summary>
    public PgBatchCommand()
    {
    }

    /// <summary>A statement.</summary>
    /// <param name="commandText">The SQL.</param>
    public PgBatchCommand(string commandText) => CommandText = commandText;

    /// <summary>One SQL statement, or the name of a procedure or table.</summary>
    [AllowNull]
    public override string CommandText
    {
        get;
        set
        {
            if (!ReferenceEquals(value, field))
                _plan.Outdate();
            field = value ?? "";
        }
    } = "";

    /// <inheritdoc cref="PgCommand.CommandType"/>
    public override CommandType CommandType
    {
        get => (CommandType)_type;
        set
        {
            _type = (short)DefinedValue.Of(value);
            _plan.Outdate();
        }
    }

    /// <summary>
    /// Output parameters take the first row of the statement's result when the reader enters that result, at the latest when it is closed.
    /// </summary>
    public new PgParameterCollection Parameters => _parameters ??= new PgParameterCollection();

    /// <summary>
    /// Whether later statements run even if this one or one before it fails: a Sync follows it, which also ends the batch's implicit
    /// transaction. Null follows <see cref="PgBatch.EnableErrorBarriers"/>.
    /// </summary>
    public bool? AppendErrorBarrier { get; set; }

    /// <inheritdoc cref="PgCommand.AutoPrepare"/>
    public bool AutoPrepare { get; set; } = true;

    /// <summary>Rows that it inserted, updated, deleted, merged, copied or moved; -1 if it is of another kind or has not run.</summary>
    /// <exception cref="OverflowException">More than <see cref="int.MaxValue"/>; see <see cref="Rows"/>.</exception>
    public override int RecordsAffected => StatementRun.IsChange(StatementType) ? checked((int)Rows) : -1;

    /// <summary>Rows that it returned or changed; 0 before it has run.</summary>
    public ulong Rows { get; private set; }

    /// <summary>Which kind of statement it was; Unknown before it has run.</summary>
    public StatementType StatementType { get; private set; }

    /// <summary>The object id of the inserted row; 0 in every server since 12.</summary>
    public uint OID { get; private set; }

    /// <summary>
    /// Whether the server has run the statement to its end. With <see cref="PgBatch.CollectErrors"/> it is false as well if the statement
    /// was undone, because another one between the same error barriers has failed.
    /// </summary>
    public bool HasSucceeded { get; private set; }

    /// <summary>
    /// The statement's own error, with <see cref="PgBatch.CollectErrors"/>; null if it has succeeded, was skipped, or has not run.
    /// </summary>
    public PostgresException? Error { get; private set; }

    /// <summary>True.</summary>
    public override bool CanCreateParameter => true;

    /// <summary>The batch is disposed: another command may take the parameters.</summary>
    internal void Release() => _parameters?.Release();

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => Parameters;

    internal PgParameterCollection ParametersOrNone => _parameters ?? PgParameterCollection.None;

    internal bool HasOutputs => _parameters is not null && _parameters.HasOutputs();

    /// <inheritdoc/>
    public override PgParameter CreateParameter() => new();

    /// <summary>The SQL.</summary>
    public override string ToString() => CommandText;

    internal StatementPlan UpdatePlan(SqlTextCache cache, bool standardConformingStrings)
    {
        if (CommandText.Length == 0)
            throw new InvalidOperationException("A command of the batch has no text: set CommandText.");
        _plan.Update(CommandText, CommandType, ParametersOrNone, cache, standardConformingStrings);
        return _plan.Statements.Length == 1
            ? _plan.Statements[0]
            : throw new NotSupportedException("A PgBatchCommand holds one statement; add a PgBatchCommand for each.");
    }

    internal void Hold(CachedStatement? prepared) => _plan.Hold(0, prepared);

    internal void Take(StatementRun? run)
    {
        Take(run?.Type ?? StatementType.Unknown, run?.Rows ?? 0, run?.Oid ?? 0);
        (HasSucceeded, Error) = (run is not null, null);
    }

    internal void Fail(PostgresException error)
    {
        Take(null);
        Error = error;
    }

    internal void Take(StatementType type, ulong rows, uint oid) => (StatementType, Rows, OID) = (type, rows, oid);
}
