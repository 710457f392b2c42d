namespace Loxo.Conformance.BadInput;

/// <summary>States of what copies rows, and of large objects.</summary>
internal static class CopyStates
{
    private const string In = "COPY copied FROM STDIN", Out = "COPY (SELECT 1, 'text') TO STDOUT", Binary = " (FORMAT binary)";

    public static readonly (string State, Func<Task<Subject>> Make)[] OfImporters =
    [
        ("begun", () => Of(connection => connection.BeginBinaryImport(In + Binary))),
        ("in a row", () => Of(connection => connection.BeginBinaryImport(In + Binary), import => import.StartRow())),
        ("completed", () => Of(connection => connection.BeginBinaryImport(In + Binary), import => import.Complete())),
        ("disposed", () => Of(connection => connection.BeginBinaryImport(In + Binary), import => import.Dispose())),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfExporters =
    [
        ("begun", () => Of(connection => connection.BeginBinaryExport(Out + Binary))),
        ("in a row", () => Of(connection => connection.BeginBinaryExport(Out + Binary), export => export.StartRow())),
        ("disposed", () => Of(connection => connection.BeginBinaryExport(Out + Binary), export => export.Dispose())),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfTextWriters =
    [
        ("begun", () => Of(connection => connection.BeginTextImport(In))),
        ("completed", () => Of(connection => connection.BeginTextImport(In), writer => writer.Complete())),
        ("disposed", () => Of(connection => connection.BeginTextImport(In), writer => writer.Dispose())),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfTextReaders =
    [
        ("begun", () => Of(connection => connection.BeginTextExport(Out))),
        ("read", () => Of(connection => connection.BeginTextExport(Out), reader => reader.ReadToEnd())),
        ("disposed", () => Of(connection => connection.BeginTextExport(Out), reader => reader.Dispose())),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfRawStreams =
    [
        ("importing", () => Of(connection => connection.BeginRawBinaryCopy(In + Binary))),
        ("exporting", () => Of(connection => connection.BeginRawBinaryCopy(Out + Binary))),
        ("disposed", () => Of(connection => connection.BeginRawBinaryCopy(Out + Binary), stream => stream.Dispose())),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfLargeObjects =
    [
        ("to be read", () => LargeObject((manager, oid) => manager.OpenRead(oid))),
        ("to be written", () => LargeObject((manager, oid) => manager.OpenReadWrite(oid))),
        ("disposed", () => LargeObject((manager, oid) => manager.OpenReadWrite(oid), disposes: true)),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfManagers =
    [
        ("of a closed connection", () => Subjects.Of(new PgLargeObjectManager(Subjects.Source.CreateConnection()))),
        ("in a transaction", () => ConnectionStates.On(connection =>
        {
            var transaction = connection.BeginTransaction();
            return new Subject(new PgLargeObjectManager(connection), connection, transaction);
        })),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfBulkCopies =
    [
        ("without a table", () => ConnectionStates.On(connection => new Subject(new PgBulkCopy(connection), connection))),
        ("into a table", () => Of(connection => new PgBulkCopy(connection) { DestinationTableName = "copied" })),
        ("of a closed connection", () => Subjects.Of(
            new PgBulkCopy(Subjects.Source.CreateConnection()) { DestinationTableName = "copied" })),
    ];

    /// <summary>What a value that does not fit its column ends a bulk copy with.</summary>
    public static async Task<Subject> Failed()
    {
        await using var subject = await Of(connection => new PgBulkCopy(connection) { DestinationTableName = "copied" });
        try
        {
            await ((PgBulkCopy)subject.Instance).WriteToServerAsync([PgBulkCopyColumn.Of("x", ["no number"])]);
        }
        catch (PgBulkCopyException e)
        {
            return new Subject(e);
        }
        throw new InvalidOperationException("A text was copied into an int.");
    }

    private static Task<Subject> Of<T>(Func<PgConnection, T> begin, Action<T>? then = null)
        where T : class => ConnectionStates.On(connection =>
    {
        using (var create = new PgCommand("CREATE TEMP TABLE copied (x int, y text)", connection))
            create.ExecuteNonQuery();
        var copy = begin(connection);
        then?.Invoke(copy);
        return new Subject(copy, connection);
    });

    private static Task<Subject> LargeObject(Func<PgLargeObjectManager, uint, PgLargeObjectStream> open, bool disposes = false) =>
        ConnectionStates.On(connection =>
        {
            var transaction = connection.BeginTransaction();
            var manager = new PgLargeObjectManager(connection);
            var stream = open(manager, manager.Create());
            if (disposes)
                stream.Dispose();
            return new Subject(stream, connection, transaction);
        });
}
