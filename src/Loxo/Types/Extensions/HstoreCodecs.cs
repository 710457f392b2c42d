using System.Collections.Immutable;

namespace Loxo.Types;

/// <summary>hstore: the number of pairs, then keys and values behind their lengths, -1 for NULL (hstore_send, hstore_io.c).</summary>
internal sealed class HstoreCodec : ReferenceCodec<Dictionary<string, string?>>
{
    public override Dictionary<string, string?> Read(ReadOnlySpan<byte> value)
    {
        var pairs = new HstoreReader(value);
        var dictionary = new Dictionary<string, string?>(pairs.Count);
        while (pairs.TryTake(out var key, out var text))
            dictionary.TryAdd(key, text);
        return dictionary;
    }

    public override void Write(MessageWriter writer, Dictionary<string, string?> value)
    {
        writer.WriteInt32(value.Count);
        foreach (var (key, text) in value)
            HstoreWriter.Write(writer, key, text);
    }
}

/// <summary>hstore, read as a Dictionary, written from whatever implements the interface.</summary>
internal sealed class HstoreInterfaceCodec : ReferenceCodec<IDictionary<string, string?>>
{
    private readonly HstoreCodec _dictionary = new();

    public override IDictionary<string, string?> Read(ReadOnlySpan<byte> value) => _dictionary.Read(value);

    public override void Write(MessageWriter writer, IDictionary<string, string?> value)
    {
        writer.WriteInt32(value.Count);
        foreach (var (key, text) in value)
            HstoreWriter.Write(writer, key, text);
    }
}

internal sealed class HstoreImmutableCodec : ReferenceCodec<ImmutableDictionary<string, string?>>
{
    public override ImmutableDictionary<string, string?> Read(ReadOnlySpan<byte> value)
    {
        var pairs = new HstoreReader(value);
        var dictionary = ImmutableDictionary.CreateBuilder<string, string?>();
        while (pairs.TryTake(out var key, out var text))
            dictionary.TryAdd(key, text);
        return dictionary.ToImmutable();
    }

    public override void Write(MessageWriter writer, ImmutableDictionary<string, string?> value)
    {
        writer.WriteInt32(value.Count);
        foreach (var (key, text) in value)
            HstoreWriter.Write(writer, key, text);
    }
}

/// <summary>The pairs of a hstore, one after the other; the server sends each key once.</summary>
internal ref struct HstoreReader
{
    private const int LeastPair = 2 * sizeof(int); // two lengths

    private BinaryScanner _scanner;
    private int _left;

    public HstoreReader(ReadOnlySpan<byte> value)
    {
        _scanner = new BinaryScanner(value, "hstore");
        Count = _scanner.TakeCount(LeastPair);
        _left = Count;
    }

    public int Count { get; }

    /// <summary>False behind the last pair, which nothing may follow.</summary>
    public bool TryTake(out string key, out string? value)
    {
        (key, value) = ("", null);
        if (_left-- == 0)
        {
            _scanner.End();
            return false;
        }
        key = _scanner.TryTakeValue(out var keyBytes) ? Utf8.Read(keyBytes) : throw _scanner.Malformed("a key of it is NULL");
        value = _scanner.TryTakeValue(out var valueBytes) ? Utf8.Read(valueBytes) : null;
        return true;
    }
}

internal static class HstoreWriter
{
    public static void Write(MessageWriter writer, string key, string? value)
    {
        TextFamily.String.WriteWithLength(writer, key);
        if (value is null)
            writer.WriteNullValue();
        else
            TextFamily.String.WriteWithLength(writer, value);
    }
}
