namespace Loxo.Session;

/// <summary>A COPY through the client.</summary>
/// <param name="Sql">The statement.</param>
/// <param name="Start">Where it begins in the caller's text; the server counts error positions from the statement's first
/// character.</param>
/// <param name="Table">The table as the statement writes it; null for a query.</param>
/// <param name="ColumnNames">The columns that the statement names; empty for all but generated ones.</param>
/// <param name="Query">The query of <c>COPY (query) TO STDOUT</c>; null for a table.</param>
/// <param name="Imports">Whether it copies from the client.</param>
/// <param name="InPieces">Whether data is taken as it arrives; otherwise a whole CopyData at a time, which is one row.</param>
internal sealed record CopyRequest(
    string Sql, int Start, string? Table, IReadOnlyList<string> ColumnNames, string? Query, bool Imports, bool InPieces);

/// <summary>A column that is copied.</summary>
/// <param name="Name">Its name.</param>
/// <param name="TypeOid">Its type.</param>
/// <param name="Modifier">The modifier of its type; -1 for none.</param>
internal sealed record CopyColumn(string Name, uint TypeOid, int Modifier)
{
    /// <summary>Whether the server computes it: such a column cannot be copied.</summary>
    public bool IsGenerated { get; init; }

    /// <summary>Whether it is an identity column.</summary>
    public bool IsIdentity { get; init; }

    /// <summary>Whether it takes no NULL.</summary>
    public bool IsRequired { get; init; }

    /// <summary>Whether it has a default value.</summary>
    public bool HasDefault { get; init; }
}
