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
            // Whoever reads the value will say what is wrong with it.
        }
    }

    private static void Walk(ReadOnlySpan<byte> value, uint oid, Search search, int depth)
    {
        if (depth == 0)
            return;
        if (oid == TypeOids.RecordArray)
            WalkArray(value, search, depth - 1);
        else if (oid == TypeOids.Record)
            WalkRecord(value, search, depth - 1);
        else if (search.Types.Find(oid) is null)
            search.Unknown.Add(oid);
    }

    private static void WalkRecord(ReadOnlySpan<byte> value, Search search, int depth)
    {
        var scanner = new BinaryScanner(value, "record");
        for (var left = scanner.TakeCount(least: 8); left > 0; left--)
        {
            var oid = scanner.TakeUInt32();
            scanner.TryTakeValue(out var field);
            Walk(field, oid, search, depth);
        }
    }

    // Number of dimensions, flag, element type, then length and lower bound of each (array_send, arrayfuncs.c).
    private static void WalkArray(ReadOnlySpan<byte> value, Search search, int depth)
    {
        var scanner = new BinaryScanner(value, "record[]");
        var dimensions = scanner.TakeInt32();
        scanner.TakeInt32();
        var oid = scanner.TakeUInt32();
        for (; dimensions > 0; dimensions--)
        {
            scanner.TakeInt32();
            scanner.TakeInt32();
        }
        while (scanner.Left > 0)
        {
            if (scanner.TryTakeValue(out var element))
                Walk(element, oid, search, depth);
        }
    }

    private readonly record struct Search(DatabaseTypes Types, HashSet<uint> Unknown);
}
