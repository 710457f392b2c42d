using System.Data.Common;

namespace Loxo.Conformance.Rules;

/// <summary>The members of a reader that return a value of the row, by name.</summary>
internal static class Getters
{
    public static readonly IReadOnlyDictionary<string, Func<DbDataReader, int, object?>> All =
        new Dictionary<string, Func<DbDataReader, int, object?>>
        {
            ["GetBoolean"] = (reader, i) => reader.GetBoolean(i),
            ["GetByte"] = (reader, i) => reader.GetByte(i),
            ["GetChar"] = (reader, i) => reader.GetChar(i),
            ["GetInt16"] = (reader, i) => reader.GetInt16(i),
            ["GetInt32"] = (reader, i) => reader.GetInt32(i),
            ["GetInt64"] = (reader, i) => reader.GetInt64(i),
            ["GetFloat"] = (reader, i) => reader.GetFloat(i),
            ["GetDouble"] = (reader, i) => reader.GetDouble(i),
            ["GetDecimal"] = (reader, i) => reader.GetDecimal(i),
            ["GetDateTime"] = (reader, i) => reader.GetDateTime(i),
            ["GetGuid"] = (reader, i) => reader.GetGuid(i),
            ["GetString"] = (reader, i) => reader.GetString(i),
            ["GetFieldValue<Int32>"] = (reader, i) => reader.GetFieldValue<int>(i),
            ["GetFieldValue<String>"] = (reader, i) => reader.GetFieldValue<string>(i),
            ["GetFieldValue<Object>"] = (reader, i) => reader.GetFieldValue<object>(i),
            ["GetValue"] = (reader, i) => reader.GetValue(i),
            ["GetProviderSpecificValue"] = (reader, i) => reader.GetProviderSpecificValue(i),
            ["Item"] = (reader, i) => reader[i],
            ["IsDBNull"] = (reader, i) => reader.IsDBNull(i),
            ["GetBytes"] = (reader, i) => reader.GetBytes(i, 0, new byte[9], 0, 9),
            ["GetChars"] = (reader, i) => reader.GetChars(i, 0, new char[9], 0, 9),
            ["GetStream"] = (reader, i) => reader.GetStream(i),
            ["GetTextReader"] = (reader, i) => reader.GetTextReader(i),
        };

    /// <summary>The members that describe a column; they need a result, and no row.</summary>
    public static readonly IReadOnlyDictionary<string, Func<DbDataReader, int, object?>> OfColumns =
        new Dictionary<string, Func<DbDataReader, int, object?>>
        {
            ["GetName"] = (reader, i) => reader.GetName(i),
            ["GetFieldType"] = (reader, i) => reader.GetFieldType(i),
            ["GetDataTypeName"] = (reader, i) => reader.GetDataTypeName(i),
            ["GetProviderSpecificFieldType"] = (reader, i) => reader.GetProviderSpecificFieldType(i),
        };

    public static IEnumerable<string> Names => All.Keys;

    public static IEnumerable<string> NamesOfColumns => OfColumns.Keys;

    /// <summary>Those that have nothing to return for NULL.</summary>
    public static IEnumerable<string> NotForNull => Names.Except(["GetValue", "GetProviderSpecificValue", "Item", "IsDBNull", "GetFieldValue<Object>"]);

    /// <summary>Those of a type that text is not.</summary>
    public static IEnumerable<string> NotForText => NotForNull.Except(
        ["GetString", "GetChar", "GetBytes", "GetChars", "GetStream", "GetTextReader", "GetFieldValue<String>"]);

    /// <summary>The value of a column, as one getter or the other returns it; awaited where there is such a form.</summary>
    public static async Task<object?> Get(this WaitMode mode, DbDataReader reader, string getter, int ordinal) => (mode, getter) switch
    {
        (WaitMode.Async, "GetFieldValue<Int32>") => await reader.GetFieldValueAsync<int>(ordinal),
        (WaitMode.Async, "GetFieldValue<String>") => await reader.GetFieldValueAsync<string>(ordinal),
        (WaitMode.Async, "GetFieldValue<Object>") => await reader.GetFieldValueAsync<object>(ordinal),
        (WaitMode.Async, "IsDBNull") => await reader.IsDBNullAsync(ordinal),
        _ => await mode.Run(() => All[getter](reader, ordinal), () => Task.Run(() => All[getter](reader, ordinal))),
    };
}
