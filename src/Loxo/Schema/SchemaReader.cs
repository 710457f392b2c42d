using System.Data;
using Loxo.Commands;

namespace Loxo.Schema;

/// <summary>Reads a collection of <see cref="PgConnection.GetSchema(string, string?[])"/>.</summary>
internal static class SchemaReader
{
    /// <summary>Reads a collection, blocking.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="collectionName">The collection, in any case.</param>
    /// <param name="restrictionValues">Values in the order of the collection's restrictions; null or empty restricts nothing.</param>
    public static DataTable Read(PgConnection connection, string collectionName, string?[]? restrictionValues)
    {
        var collection = Find(collectionName, restrictionValues);
        if (SchemaTables.Of(collection) is { } own)
            return own;
        CheckOpen(connection);
        if (collection.Name == "DataSourceInformation")
            return SchemaTables.DataSourceInformation(connection);
        if (collection.Name == "DataTypes")
            return DataTypes.Read(connection);
        using var command = Command(connection, collection, restrictionValues);
        using var reader = command.ExecuteReader();
        var table = Start(collection, reader);
        while (reader.Read())
            AddRow(table, reader);
        return table;
    }

    /// <inheritdoc cref="Read"/>
    public static async Task<DataTable> ReadAsync(
        PgConnection connection, string collectionName, string?[]? restrictionValues, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var collection = Find(collectionName, restrictionValues);
        if (SchemaTables.Of(collection) is { } own)
            return own;
        CheckOpen(connection);
        await OwnSession.BindAsync(connection, PgOwnSessionReason.Other, "GetSchema", token).ConfigureAwait(false);
        if (collection.Name == "DataSourceInformation")
            return SchemaTables.DataSourceInformation(connection);
        if (collection.Name == "DataTypes")
            return await DataTypes.ReadAsync(connection, token).ConfigureAwait(false);
        var command = Command(connection, collection, restrictionValues);
        var reader = await command.ExecuteReaderAsync(token).ConfigureAwait(false);
        await using var closing = reader.ConfigureAwait(false);
        var table = Start(collection, reader);
        while (await reader.ReadAsync(token).ConfigureAwait(false))
            AddRow(table, reader);
        return table;
    }

    private static SchemaCollection Find(string collectionName, string?[]? restrictionValues)
    {
        ArgumentException.ThrowIfNullOrEmpty(collectionName);
        var collection = Array.Find(SchemaCollection.All, one => one.Name.Equals(collectionName, StringComparison.OrdinalIgnoreCase))
            ?? throw new ArgumentOutOfRangeException(
                nameof(collectionName), collectionName, "There is no such collection; MetaDataCollections lists all.");
        // A restriction that is silently ignored would return objects that the caller wants to exclude.
        return restrictionValues is null || !restrictionValues.Skip(collection.Restrictions.Length).Any(IsGiven)
            ? collection
            : throw new ArgumentException(
                $"The collection '{collection.Name}' has {collection.Restrictions.Length} restrictions, but {restrictionValues.Length} "
                + "values were given.", nameof(restrictionValues));
    }

    private static bool IsGiven([NotNullWhen(true)] string? restriction) => !string.IsNullOrEmpty(restriction);

    private static void CheckOpen(PgConnection connection)
    {
        if (connection.State != ConnectionState.Open)
            throw new InvalidOperationException("GetSchema needs an open connection: call Open or OpenAsync first.");
    }

    private static PgCommand Command(PgConnection connection, SchemaCollection collection, string?[]? values)
    {
        var sql = new StringBuilder(collection.Sql);
        var command = new PgCommand(null, connection) { AutoPrepare = false };
        for (var i = 0; i < Math.Min(values?.Length ?? 0, collection.Restrictions.Length); i++)
        {
            if (!IsGiven(values![i]))
                continue;
            command.Parameters.Add(new PgParameter(null, values[i]));
            if (command.Parameters.Count == 1)
                sql.Insert(0, "SELECT * FROM (").Append(") AS all_rows");
            sql.Append(command.Parameters.Count == 1 ? " WHERE " : " AND ").Append(CultureInfo.InvariantCulture,
                $"\"{collection.Restrictions[i].Column}\" = ${command.Parameters.Count}");
        }
        command.CommandText = sql.ToString();
        return command;
    }

    private static DataTable Start(SchemaCollection collection, PgDataReader reader)
    {
        var table = new DataTable(collection.Name) { Locale = CultureInfo.InvariantCulture };
        for (var i = 0; i < reader.FieldCount; i++)
            table.Columns.Add(reader.GetName(i), reader.GetFieldType(i));
        return table;
    }

    private static void AddRow(DataTable table, PgDataReader reader)
    {
        var values = new object[reader.FieldCount];
        reader.GetValues(values);
        table.Rows.Add(values);
    }
}
