using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>The query of the catalogue about the columns of a table: its text, its parameter, and a row of its result.</summary>
internal static class CopyColumnQuery
{
    private const uint TextOid = 25;
    private const int FirstServerWithGeneratedColumns = 12;

    private static readonly Codec<uint> Oid = TypeCatalog.BuiltIn.Find(26)!.CodecFor<uint>()!;
    private static readonly Codec<string> Text = TypeCatalog.BuiltIn.Find(TextOid)!.CodecFor<string>()!;
    private static readonly Codec<int> Integer = TypeCatalog.BuiltIn.Find(23)!.CodecFor<int>()!;
    private static readonly Codec<bool> Boolean = TypeCatalog.BuiltIn.Find(16)!.CodecFor<bool>()!;

    private static readonly string WithGenerated = Make("a.attgenerated <> ''", "a.attidentity <> ''");
    private static readonly string WithoutGenerated = Make("false", "false");

    /// <summary>Writes the query up to its Sync.</summary>
    /// <param name="session">Where it runs: the table's name means what it means there.</param>
    /// <param name="requests">Where the replies are noted.</param>
    /// <param name="table">The table as SQL writes it.</param>
    public static void Write(ServerSession session, RequestWriter requests, string table)
    {
        var version = ServerVersions.Parse(session.Parameters.Values.GetValueOrDefault("server_version") ?? "");
        var sql = version.Major is > 0 and < FirstServerWithGeneratedColumns ? WithoutGenerated : WithGenerated;
        requests.Parse("", sql, [TextOid]);
        requests.BeginBind("");
        session.Output.WriteFormat(FormatCode.Binary);
        session.Output.WriteCount(1);
        Text.WriteWithLength(session.Output, table);
        session.Output.EndBind([FormatCode.Binary]);
        requests.Execute(sql, hasColumns: true);
    }

    /// <summary>Reads a row.</summary>
    public static CopyColumn Read(DataRow row) => new(Text.Read(row.ReadValue()), Oid.Read(row.ReadValue()), Integer.Read(row.ReadValue()))
    {
        IsGenerated = Boolean.Read(row.ReadValue()),
        IsIdentity = Boolean.Read(row.ReadValue()),
        IsRequired = Boolean.Read(row.ReadValue()),
        HasDefault = Boolean.Read(row.ReadValue()),
    };

    // to_regclass returns NULL for a table that does not exist, so that COPY itself reports it.
    private static string Make(string generated, string identity) =>
        $"""
        SELECT a.attname::text, a.atttypid, a.atttypmod, {generated}, {identity}, a.attnotnull, a.atthasdef
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
        """;
}
