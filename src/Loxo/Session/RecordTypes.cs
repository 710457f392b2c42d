using Loxo.Types;

namespace Loxo.Session;

/// <summary>Which types the fields of records are of: each value says it itself.</summary>
internal static class RecordTypes
{
    private const int MostNested = 32;

    /// <summary>Adds the types of fields that are not known.</summary>
    public static void AddUnknown(ReadOnlySpan<byte> value, uint oid, DatabaseTypes types, HashSet<uint> unknown)
    {
        try
        {
            Walk(value, oid, new Search(types, unknown), MostNested);
        }
        catch (PgException)
        {
            // Reading the value will report the error.
        }
    }

    private static void Walk(ReadOnlySpan<byte> value, uint oid, Search search, int depth)
    {
        if (depth == 0)
            return;
        if (oid == TypeEntry.RecordArrayOid)
            WalkArray(value, search, depth - 1);
        else if (oid == TypeEntry.RecordOid)
            WalkRecord(value, search, depth - 1);
        else if (search.Types.Find(oid) is null)
            search.Unknown.Add(oid);
    }

    private static void WalkRecord(ReadOnlySpan<byte> value, Search search, int depth)
    {
        var reader = new RecordReader(value, "record");
        while (reader.TryReadNext(out var field))
            Walk(field.Value, field.TypeOid, search, depth);
    }

    private static void WalkArray(ReadOnlySpan<byte> value, Search search, int depth)
    {
        var reader = new ArrayReader(value, search.Types.Find(TypeEntry.RecordOid)!);
        for (var left = reader.Count; left > 0; left--)
        {
            if (reader.TryTake(out var element))
                Walk(element, TypeEntry.RecordOid, search, depth);
        }
    }

    private readonly record struct Search(DatabaseTypes Types, HashSet<uint> Unknown);
}
