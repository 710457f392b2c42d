namespace BulkLoad;

/// <summary>A row of the table, under the names of its columns.</summary>
internal sealed record Sale(int Id, DateOnly SoldOn, string Product, int Pieces, decimal Price);
