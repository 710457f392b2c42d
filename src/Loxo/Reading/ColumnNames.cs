using System.Data.Common;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Reading;

internal static class ColumnNames
{
    private const CompareOptions Loosely = CompareOptions.IgnoreCase | CompareOptions.IgnoreWidth | CompareOptions.IgnoreKanaType;

    /// <summary>The column of that name without regard to case, width or kana, as ADO.NET wants it after an exact search.</summary>
    public static int FindLoosely(DbDataReader reader, string name)
    {
        var count = reader.FieldCount;
        for (var i = 0; i < count; i++)
        {
            if (CultureInfo.InvariantCulture.CompareInfo.Compare(reader.GetName(i), name, Loosely) == 0)
                return i;
        }
        throw ReaderErrors.NoColumn(name);
    }

    public static int Find(ReadOnlySpan<ResultColumn> columns, string name)
    {
        for (var i = 0; i < columns.Length; i++)
        {
            if (columns[i].Name == name)
                return i;
        }
        return -1;
    }

    public static string TypeOf(ResultColumn column) =>
        column.Type is { } type ? TypeNames.Format(type, column.Description.TypeModifier) : "unknown";
}
