using System.Globalization;
using Loxo.Protocol.Backend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>The query of the catalogue about types: its text, its parameters, and a row of its result.</summary>
internal static class TypeQuery
{
    private const uint OidArray = 1028;
    private const uint TextArray = 1009;
    private const int FirstServerWithMultiranges = 14;

    // Types below that OID are written down in pg_type.dat, so that their OID is the same in every database (FirstGenbkiObjectId,
    // transam.h).
    private const string FirstOther = "10000";

    private static readonly Codec<uint> Oid = TypeCatalog.BuiltIn.Find(26)!.CodecFor<uint>()!;
    private static readonly Codec<string> Text = TypeCatalog.BuiltIn.Find(25)!.CodecFor<string>()!;
    private static readonly Codec<bool> Boolean = TypeCatalog.BuiltIn.Find(16)!.CodecFor<bool>()!;
    private static readonly Codec<uint[]> Oids = TypeCatalog.BuiltIn.Find(OidArray)!.CodecFor<uint[]>()!;
    private static readonly Codec<int[]> Integers = TypeCatalog.BuiltIn.Find(1007)!.CodecFor<int[]>()!;
    private static readonly Codec<string[]> Texts = TypeCatalog.BuiltIn.Find(TextArray)!.CodecFor<string[]>()!;
    private static readonly Codec<string?[]> NullableTexts = Texts!;

    private static readonly string WithMultiranges = Make(
        "UNION ALL SELECT r.rngtypid FROM pg_catalog.pg_range r WHERE r.rngmultitypid = t.oid");
    private static readonly string WithoutMultiranges = Make("");

    /// <summary>OIDs; schemas and names, the schema NULL where the search path decides.</summary>
    public static ReadOnlySpan<uint> ParameterTypes => [OidArray, TextArray, TextArray];

    /// <summary>The text for a server of that version.</summary>
    public static string Sql(string? serverVersion) =>
        MajorOf(serverVersion) < FirstServerWithMultiranges ? WithoutMultiranges : WithMultiranges;

    public static void WriteParameters(MessageWriter output, IReadOnlyCollection<uint> oids, IReadOnlyCollection<TypeName> names)
    {
        output.WriteCount(3);
        Write(output, Oids, [.. oids]);
        Write(output, NullableTexts, [.. names.Select(name => name.Schema)]);
        Write(output, Texts, [.. names.Select(name => name.Name)]);
    }

    /// <summary>Reads a row.</summary>
    /// <param name="row">The row.</param>
    /// <param name="mayBeRolledBack">Whether the transaction has changed types or tables, so that none of what it sees may outlast
    /// it.</param>
    public static TypeDescription Read(DataRow row, bool mayBeRolledBack)
    {
        var type = new TypeDescription
        {
            Oid = Oid.Read(row.ReadValue()),
            Schema = Text.Read(row.ReadValue()),
            Name = Text.Read(row.ReadValue()),
            Kind = Text.Read(row.ReadValue())[0],
            Element = Oid.Read(row.ReadValue()),
            Array = Oid.Read(row.ReadValue()),
            Base = Oid.Read(row.ReadValue()),
            Subtype = Oid.Read(row.ReadValue()),
            SendFunction = Text.Read(row.ReadValue()),
            IsVisible = Boolean.Read(row.ReadValue()),
            MayBeRolledBack = Boolean.Read(row.ReadValue()) || mayBeRolledBack,
            Labels = Texts.Read(row.ReadValue()),
        };
        var names = Texts.Read(row.ReadValue());
        var oids = Oids.Read(row.ReadValue());
        var modifiers = Integers.Read(row.ReadValue());
        return type with
        {
            Fields = [.. names.Select((name, i) => new FieldDescription(name, oids[i], modifiers[i]))],
            IsNotNull = Boolean.Read(row.ReadValue()),
        };
    }

    private static void Write<T>(MessageWriter output, Codec<T> codec, T value)
    {
        var start = output.BeginValue();
        codec.Write(output, value);
        output.EndValue(start);
    }

    private static int MajorOf(string? version)
    {
        var digits = (version ?? "").TakeWhile(char.IsAsciiDigit).ToArray();
        return int.TryParse(digits, CultureInfo.InvariantCulture, out var major) ? major : int.MaxValue;
    }

    // The first part finds the types and what they are made of; SearchPath cannot come in between, as all names are qualified. A row that
    // was written by a transaction as old as the oldest that is still open may be of this very transaction, and be taken back.
    // pg_type_is_visible returns NULL for a type that has been dropped since the query began.
    private static string Make(string rangeOfMultirange) =>
        $"""
        WITH RECURSIVE found(oid) AS (
          SELECT a.oid FROM pg_catalog.unnest($1) AS a(oid)
          UNION
          SELECT t.oid FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3)) AS a(schema, name)
            JOIN pg_catalog.pg_type t ON t.typname = a.name::pg_catalog.name JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
            WHERE CASE WHEN a.schema IS NULL THEN pg_catalog.pg_type_is_visible(t.oid)
              WHEN a.schema = 'pg_temp' THEN n.oid = pg_catalog.pg_my_temp_schema() ELSE n.nspname = a.schema::pg_catalog.name END
          UNION
          SELECT part.oid FROM found JOIN pg_catalog.pg_type t ON t.oid = found.oid CROSS JOIN LATERAL (
            SELECT t.typelem UNION ALL SELECT t.typbasetype
            UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid
            {rangeOfMultirange}
            UNION ALL SELECT f.atttypid FROM pg_catalog.pg_attribute f
              WHERE t.typrelid <> 0 AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped
          ) AS part(oid) WHERE part.oid >= {FirstOther}
        )
        SELECT t.oid, n.nspname::text, t.typname::text, t.typtype::text,
          coalesce((SELECT e.oid FROM pg_catalog.pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid), 0::oid),
          t.typarray, t.typbasetype,
          coalesce((SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid {rangeOfMultirange}), 0::oid),
          coalesce((SELECT p.proname::text FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace s ON s.oid = p.pronamespace
            WHERE p.oid = t.typsend::oid AND s.nspname = 'pg_catalog'), ''),
          coalesce(pg_catalog.pg_type_is_visible(t.oid), false),
          coalesce(pg_catalog.age(t.xmin) <= pg_catalog.age((CASE WHEN pg_catalog.txid_current_if_assigned() IS NOT NULL
            THEN pg_catalog.txid_snapshot_xmin(pg_catalog.txid_current_snapshot()) % 4294967296 END)::text::xid), false),
          ARRAY(SELECT l.enumlabel::text FROM pg_catalog.pg_enum l WHERE l.enumtypid = t.oid ORDER BY l.enumsortorder),
          ARRAY(SELECT f.attname::text FROM pg_catalog.pg_attribute f
            WHERE t.typrelid <> 0 AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped ORDER BY f.attnum),
          ARRAY(SELECT f.atttypid FROM pg_catalog.pg_attribute f
            WHERE t.typrelid <> 0 AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped ORDER BY f.attnum),
          ARRAY(SELECT f.atttypmod FROM pg_catalog.pg_attribute f
            WHERE t.typrelid <> 0 AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped ORDER BY f.attnum),
          t.typnotnull
        FROM found JOIN pg_catalog.pg_type t ON t.oid = found.oid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        """;
}
