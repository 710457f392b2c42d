using System.ComponentModel;
using System.Data;
using System.Data.Common;
using Loxo.Schema;
using Loxo.Sql;

namespace Loxo;

/// <summary>
/// Makes the INSERT, UPDATE and DELETE that write a changed <see cref="DataTable"/> back to the one table that it was filled from. The
/// query has to return the table's whole primary key.
/// </summary>
[DesignerCategory("")]
public sealed class PgCommandBuilder : DbCommandBuilder
{
    private const string Quote = "\"";

    /// <summary>A builder without an adapter: set <see cref="DataAdapter"/>.</summary>
    public PgCommandBuilder()
        : this(null)
    {
    }

    /// <summary>A builder of the commands that an adapter lacks.</summary>
    /// <param name="adapter">Its SelectCommand tells the table; null for none yet.</param>
    public PgCommandBuilder(PgDataAdapter? adapter)
    {
        DataAdapter = adapter;
        base.QuotePrefix = base.QuoteSuffix = Quote;
    }

    /// <summary>The adapter, whose SelectCommand tells the table.</summary>
    public new PgDataAdapter? DataAdapter
    {
        get => (PgDataAdapter?)base.DataAdapter;
        set => base.DataAdapter = value;
    }

    /// <summary>The double quote, which is the only one that PostgreSQL has for names.</summary>
    /// <exception cref="ArgumentException">Another value is set.</exception>
    [AllowNull]
    public override string QuotePrefix
    {
        get => base.QuotePrefix;
        set => base.QuotePrefix = Checked(value);
    }

    /// <inheritdoc cref="QuotePrefix"/>
    [AllowNull]
    public override string QuoteSuffix
    {
        get => base.QuoteSuffix;
        set => base.QuoteSuffix = Checked(value);
    }

    /// <summary>
    /// Replaces the command's parameters by those that the server finds in its text, or, if it is a procedure or function, by those that it
    /// is declared with.
    /// </summary>
    /// <param name="command">
    /// A command of type Text or StoredProcedure on an open connection. The name of a routine may have a schema and quotes, as in SQL.
    /// </param>
    /// <exception cref="InvalidOperationException">
    /// There is no open connection or no text, or a parameter has different types in different statements.
    /// </exception>
    /// <exception cref="PostgresException">The text is wrong; there is no such routine, or there are several of this name.</exception>
    /// <exception cref="NotSupportedException">The routine is VARIADIC, or the command is of type TableDirect.</exception>
    public static void DeriveParameters(PgCommand command)
    {
        ArgumentNullException.ThrowIfNull(command);
        ParameterDerivation.Derive(command);
    }

    /// <inheritdoc cref="DeriveParameters"/>
    public static Task DeriveParametersAsync(PgCommand command, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(command);
        return ParameterDerivation.DeriveAsync(command, cancellationToken);
    }

    /// <summary>The INSERT for a new row.</summary>
    /// <exception cref="InvalidOperationException">The query reads no table, or several.</exception>
    public new PgCommand GetInsertCommand() => GetInsertCommand(false);

    /// <summary>The INSERT for a new row.</summary>
    /// <param name="useColumnsForParameterNames">Whether parameters are named after columns instead of <c>p1</c>, <c>p2</c>.</param>
    /// <exception cref="InvalidOperationException">The query reads no table, or several.</exception>
    public new PgCommand GetInsertCommand(bool useColumnsForParameterNames) =>
        (PgCommand)base.GetInsertCommand(useColumnsForParameterNames);

    /// <summary>The UPDATE for a changed row.</summary>
    /// <exception cref="InvalidOperationException">The query reads no table or several, or does not return the primary key.</exception>
    public new PgCommand GetUpdateCommand() => GetUpdateCommand(false);

    /// <inheritdoc cref="GetUpdateCommand()"/>
    /// <param name="useColumnsForParameterNames">Whether parameters are named after columns instead of <c>p1</c>, <c>p2</c>.</param>
    public new PgCommand GetUpdateCommand(bool useColumnsForParameterNames) =>
        (PgCommand)base.GetUpdateCommand(useColumnsForParameterNames);

    /// <summary>The DELETE for a deleted row.</summary>
    /// <exception cref="InvalidOperationException">The query reads no table or several, or does not return the primary key.</exception>
    public new PgCommand GetDeleteCommand() => GetDeleteCommand(false);

    /// <inheritdoc cref="GetDeleteCommand()"/>
    /// <param name="useColumnsForParameterNames">Whether parameters are named after columns instead of <c>p1</c>, <c>p2</c>.</param>
    public new PgCommand GetDeleteCommand(bool useColumnsForParameterNames) =>
        (PgCommand)base.GetDeleteCommand(useColumnsForParameterNames);

    /// <summary>The name in double quotes, with the quotes in it doubled.</summary>
    /// <param name="unquotedIdentifier">A name as the catalogue has it.</param>
    /// <exception cref="ArgumentException">It is empty or contains a NUL character.</exception>
    public override string QuoteIdentifier(string unquotedIdentifier) => SqlIdentifier.Quote(unquotedIdentifier);

    /// <summary>The name that a quoted one stands for; a name without quotes is returned as it is.</summary>
    /// <param name="quotedIdentifier">A name as <see cref="QuoteIdentifier"/> returns it.</param>
    public override string UnquoteIdentifier(string quotedIdentifier)
    {
        ArgumentNullException.ThrowIfNull(quotedIdentifier);
        return (quotedIdentifier is ['"', _, .., '"'] ? quotedIdentifier[1..^1] : quotedIdentifier)
            .Replace("\"\"", Quote, StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    protected override void ApplyParameterInfo(
        DbParameter parameter, DataRow row, System.Data.StatementType statementType, bool whereClause)
    {
        ArgumentNullException.ThrowIfNull(row);
        var typed = (PgParameter)parameter;
        // It may have been another column's.
        typed.ResetDbType();
        // The question whether the column is NULL is answered by an integer: the caller says so next, by DbType.
        if (typed.SourceColumnNullMapping)
            return;
        if (row[SchemaTableColumn.ProviderType] is int type)
            typed.PgDbType = (PgDbType)type;
        else if (row["DataTypeName"] is string name && name != "unknown")
            typed.DataTypeName = name;
    }

    /// <inheritdoc/>
    protected override string GetParameterName(int parameterOrdinal) =>
        string.Create(CultureInfo.InvariantCulture, $"@p{parameterOrdinal}");

    /// <inheritdoc/>
    protected override string GetParameterName(string parameterName) => "@" + parameterName;

    /// <inheritdoc/>
    protected override string GetParameterPlaceholder(int parameterOrdinal) => GetParameterName(parameterOrdinal);

    /// <inheritdoc/>
    protected override void SetRowUpdatingHandler(DbDataAdapter adapter)
    {
        if (adapter is not PgDataAdapter ours)
            throw new ArgumentException("The adapter must be a PgDataAdapter.", nameof(adapter));
        // The base class calls this once to subscribe and once to unsubscribe.
        if (ReferenceEquals(ours, base.DataAdapter))
            ours.RowUpdating -= OnRowUpdating;
        else
            ours.RowUpdating += OnRowUpdating;
    }

    private void OnRowUpdating(object sender, PgRowUpdatingEventArgs e) => RowUpdatingHandler(e);

    private static string Checked(string? quote) => quote is Quote
        ? quote
        : throw new ArgumentException("PostgreSQL quotes names with double quotes.", nameof(quote));
}
