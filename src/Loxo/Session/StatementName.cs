using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Loxo.Session;

/// <summary>
/// Names of prepared statements, made from what they stand for: two sessions that share a server process behind a pooler give the same name
/// to the same statement, and never one name to two. Sessions that do not know of a pooler add something of their own.
/// </summary>
internal static class StatementName
{
    // 120 bits of a cryptographic hash: texts come from users, and a collision would run another's statement.
    private const int HashBytes = 15;

    /// <summary>The name of the statement of that text, parsed with those types.</summary>
    public static string Of(string sql, ReadOnlySpan<uint> parameterTypes)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        using var hasher = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hasher.AppendData(MemoryMarshal.AsBytes(sql.AsSpan()));
        Span<byte> oid = stackalloc byte[sizeof(uint)];
        foreach (var type in parameterTypes)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(oid, type);
            hasher.AppendData(oid);
        }
        // The text's length keeps its end apart from the types.
        BinaryPrimitives.WriteInt32LittleEndian(oid, sql.Length);
        hasher.AppendData(oid);
        hasher.GetHashAndReset(hash);
        return "loxo_" + Convert.ToHexStringLower(hash[..HashBytes]);
    }

    /// <summary>
    /// A random suffix for a session that caches descriptions. Behind a pooler that the settings do not name, another session may have
    /// parsed the same text after an ALTER TABLE: its rows would be decoded by this session's description, as wrong data. With another
    /// name the server reports the statement as unknown, and it is prepared again.
    /// </summary>
    public static string OwnSuffix() => "_" + Random.Shared.NextInt64().ToString("x16", CultureInfo.InvariantCulture);
}
