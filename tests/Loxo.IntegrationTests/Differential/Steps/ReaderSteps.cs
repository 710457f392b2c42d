using System.Collections;
using System.Data;
using System.Data.Common;
using System.Net;
using System.Numerics;
using System.Text.Json;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Calls of readers.</summary>
internal static class ReaderSteps
{
    /// <summary>The getters of one column, each with the call's text.</summary>
    public static IReadOnlyList<(string Text, Func<DbDataReader, int, object?> Get)> Getters { get; } =
    [
        ("GetValue", (r, i) => r.GetValue(i)),
        ("GetProviderSpecificValue", (r, i) => r.GetProviderSpecificValue(i)),
        ("IsDBNull", (r, i) => r.IsDBNull(i)),
        ("GetBoolean", (r, i) => r.GetBoolean(i)),
        ("GetByte", (r, i) => r.GetByte(i)),
        ("GetInt16", (r, i) => r.GetInt16(i)),
        ("GetInt32", (r, i) => r.GetInt32(i)),
        ("GetInt64", (r, i) => r.GetInt64(i)),
        ("GetFloat", (r, i) => r.GetFloat(i)),
        ("GetDouble", (r, i) => r.GetDouble(i)),
        ("GetDecimal", (r, i) => r.GetDecimal(i)),
        ("GetString", (r, i) => r.GetString(i)),
        ("GetChar", (r, i) => r.GetChar(i)),
        ("GetGuid", (r, i) => r.GetGuid(i)),
        ("GetDateTime", (r, i) => r.GetDateTime(i)),
        ("GetTimeSpan", (r, i) => ((dynamic)r).GetTimeSpan(i)),
        ("GetFieldValue<object>", (r, i) => r.GetFieldValue<object>(i)),
        ("GetFieldValue<int?>", (r, i) => r.GetFieldValue<int?>(i)),
        ("GetFieldValue<long>", (r, i) => r.GetFieldValue<long>(i)),
        ("GetFieldValue<decimal>", (r, i) => r.GetFieldValue<decimal>(i)),
        ("GetFieldValue<BigInteger>", (r, i) => r.GetFieldValue<BigInteger>(i)),
        ("GetFieldValue<uint>", (r, i) => r.GetFieldValue<uint>(i)),
        ("GetFieldValue<string>", (r, i) => r.GetFieldValue<string>(i)),
        ("GetFieldValue<char[]>", (r, i) => r.GetFieldValue<char[]>(i)),
        ("GetFieldValue<byte[]>", (r, i) => r.GetFieldValue<byte[]>(i)),
        ("GetFieldValue<DateOnly>", (r, i) => r.GetFieldValue<DateOnly>(i)),
        ("GetFieldValue<TimeOnly>", (r, i) => r.GetFieldValue<TimeOnly>(i)),
        ("GetFieldValue<TimeSpan>", (r, i) => r.GetFieldValue<TimeSpan>(i)),
        ("GetFieldValue<DateTimeOffset>", (r, i) => r.GetFieldValue<DateTimeOffset>(i)),
        ("GetFieldValue<DateTime>", (r, i) => r.GetFieldValue<DateTime>(i)),
        ("GetFieldValue<int[]>", (r, i) => r.GetFieldValue<int[]>(i)),
        ("GetFieldValue<int?[]>", (r, i) => r.GetFieldValue<int?[]>(i)),
        ("GetFieldValue<List<int>>", (r, i) => r.GetFieldValue<List<int>>(i)),
        ("GetFieldValue<string[]>", (r, i) => r.GetFieldValue<string[]>(i)),
        ("GetFieldValue<BitArray>", (r, i) => r.GetFieldValue<BitArray>(i)),
        ("GetFieldValue<IPAddress>", (r, i) => r.GetFieldValue<IPAddress>(i)),
        ("GetFieldValue<JsonDocument>", (r, i) => r.GetFieldValue<JsonDocument>(i)),
        ("GetFieldValue<Version>", (r, i) => r.GetFieldValue<Version>(i)),
        ("GetBytes", (r, i) =>
        {
            var buffer = new byte[4];
            return (r.GetBytes(i, 0, null, 0, 0), r.GetBytes(i, 0, buffer, 1, 2), Convert.ToHexString(buffer)).ToString();
        }),
        ("GetChars", (r, i) =>
        {
            var buffer = new char[4];
            return (r.GetChars(i, 0, null, 0, 0), r.GetChars(i, 0, buffer, 1, 2), new string(buffer).Replace('\0', '.')).ToString();
        }),
        ("GetStream", (r, i) =>
        {
            using var stream = r.GetStream(i);
            using var copy = new MemoryStream();
            stream.CopyTo(copy);
            return copy.ToArray();
        }),
        ("GetTextReader", (r, i) =>
        {
            using var text = r.GetTextReader(i);
            return text.ReadToEnd();
        }),
        ("GetFieldType", (r, i) => r.GetFieldType(i)),
        ("GetProviderSpecificFieldType", (r, i) => r.GetProviderSpecificFieldType(i)),
        ("GetDataTypeName", (r, i) => r.GetDataTypeName(i)),
        ("GetName", (r, i) => r.GetName(i)),
    ];

    public static Step Read() => new("r.Read();", async m => m.Note(await m.Mode.Read(m.Reader)));

    public static Step NextResult() => new("r.NextResult();", async m => m.Note(await m.Mode.NextResult(m.Reader)));

    public static Step Close() => new("r.Close();", m => m.Mode.Close(m.Reader));

    public static Step Dispose() => new("r.Dispose();", m => m.Mode.Run(m.Reader.Dispose, () => m.Reader.DisposeAsync().AsTask()));

    public static Step Get(int getter, int column) => new($"r.{Getters[getter].Text}({column});", async m =>
    {
        var reader = m.Reader;
        await m.Mode.Run(
            () => m.Note(Getters[getter].Get(reader, column)),
            () =>
            {
                m.Note(Getters[getter].Get(reader, column));
                return Task.CompletedTask;
            });
    });

    public static Step GetAsync<T>(int column) => new($"r.GetFieldValue[Async]<{Shown.Type(typeof(T))}>({column});", async m =>
        m.Note(await m.Mode.Run(() => m.Reader.GetFieldValue<T>(column), () => m.Reader.GetFieldValueAsync<T>(column))));

    public static Step IsNull(int column) => new($"r.IsDBNull[Async]({column});", async m =>
        m.Note(await m.Mode.Run(() => m.Reader.IsDBNull(column), () => m.Reader.IsDBNullAsync(column))));

    public static Step ByName(string name) => new($"r[\"{name}\"]; r.GetOrdinal(\"{name}\");", m =>
    {
        m.Get("GetOrdinal", () => m.Reader.GetOrdinal(name));
        m.Get("this[]", () => m.Reader[name]);
        return Task.CompletedTask;
    });

    public static Step Values() => new("r.GetValues(values);", m =>
    {
        var values = new object[m.Reader.FieldCount];
        m.Note(m.Reader.GetValues(values));
        foreach (var value in values)
            m.Note(value);
        return Task.CompletedTask;
    });

    /// <summary>Every row of every result.</summary>
    public static Step ReadAll() => new("ReadAll(r);", async m =>
    {
        var reader = m.Reader;
        do
        {
            for (var i = 0; i < reader.FieldCount; i++)
                m.Note($"column {reader.GetName(i)} {reader.GetDataTypeName(i)}", reader.GetFieldType(i));
            while (await m.Mode.Read(reader))
            {
                for (var i = 0; i < reader.FieldCount; i++)
                    m.Get(reader.GetName(i), () => reader.GetValue(i));
            }
        }
        while (await m.Mode.NextResult(reader));
        m.Note("RecordsAffected", reader.RecordsAffected);
    });

    public static Step Look() => new("Show(r); // its properties", m =>
    {
        var reader = m.Reader;
        m.Get("FieldCount", () => reader.FieldCount);
        m.Get("VisibleFieldCount", () => reader.VisibleFieldCount);
        m.Get("HasRows", () => reader.HasRows);
        m.Get("Depth", () => reader.Depth);
        m.Get("IsClosed", () => reader.IsClosed);
        return Task.CompletedTask;
    });

    public static Step RecordsAffected() => new("r.RecordsAffected;", m =>
    {
        m.Get("RecordsAffected", () => m.Reader.RecordsAffected);
        return Task.CompletedTask;
    });

    public static Step SchemaTable() => new("r.GetSchemaTable();", m =>
    {
        var table = m.Reader.GetSchemaTable();
        if (table is null)
        {
            m.Note(null);
            return Task.CompletedTask;
        }
        foreach (DataRow row in table.Rows)
        {
            foreach (DataColumn column in table.Columns)
            {
                if (column.ColumnName is not "ProviderType" and not "BaseServerName" and not "BaseCatalogName")
                    m.Note($"{row["ColumnName"]}.{column.ColumnName}", row[column]);
            }
        }
        return Task.CompletedTask;
    });

    public static Step ColumnSchema() => new("r.GetColumnSchema();", m =>
    {
        foreach (var column in ((IDbColumnSchemaGenerator)m.Reader).GetColumnSchema())
        {
            m.Note("ColumnName", column.ColumnName);
            m.Note("ColumnOrdinal", column.ColumnOrdinal);
            m.Note("DataType", column.DataType);
            m.Note("DataTypeName", column.DataTypeName);
            m.Note("AllowDBNull", column.AllowDBNull);
            m.Note("ColumnSize", column.ColumnSize);
            m.Note("NumericPrecision", column.NumericPrecision);
            m.Note("NumericScale", column.NumericScale);
            m.Note("BaseTableName", column.BaseTableName);
            m.Note("BaseColumnName", column.BaseColumnName);
            m.Note("IsAliased", column.IsAliased);
            m.Note("IsExpression", column.IsExpression);
            m.Note("IsKey", column.IsKey);
            m.Note("IsUnique", column.IsUnique);
            m.Note("IsReadOnly", column.IsReadOnly);
            m.Note("IsAutoIncrement", column.IsAutoIncrement);
            m.Note("IsIdentity", column.IsIdentity);
            m.Note("IsLong", column.IsLong);
            m.Note("UdtAssemblyQualifiedName", column.UdtAssemblyQualifiedName);
        }
        return Task.CompletedTask;
    });

    public static Step Enumerate() => new("foreach (IDataRecord record in r) Show(record);", m =>
    {
        foreach (IDataRecord record in (IEnumerable)m.Reader)
        {
            for (var i = 0; i < record.FieldCount; i++)
                m.Note(record[i]);
        }
        return Task.CompletedTask;
    });
}
