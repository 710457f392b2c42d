namespace Loxo.Types;

/// <summary>Makes the entries of a catalogue's types; those of extensions are known by a mapping, a name or the sending function.</summary>
internal sealed class UserTypes(DatabaseTypes known, IReadOnlyList<TypeDescription> found)
{
    // Functions of pg_catalog that types of extensions share with built-in types, and the type whose format each sends.
    private static readonly Dictionary<string, uint> SentAs = new(StringComparer.Ordinal)
    {
        ["textsend"] = 25, ["varcharsend"] = 25, ["bpcharsend"] = 25, ["namesend"] = 25, ["xml_send"] = 25, ["enum_send"] = 25,
        ["boolsend"] = 16, ["int2send"] = 21, ["int4send"] = 23, ["int8send"] = 20, ["oidsend"] = 26, ["float4send"] = 700,
        ["float8send"] = 701,
        ["numeric_send"] = 1700, ["cash_send"] = 790, ["uuid_send"] = 2950, ["byteasend"] = 17, ["date_send"] = 1082, ["time_send"] = 1083,
        ["timetz_send"] = 1266, ["timestamp_send"] = 1114, ["timestamptz_send"] = 1184, ["interval_send"] = 1186, ["inet_send"] = 869,
        ["json_send"] = 114, ["jsonb_send"] = 3802, ["point_send"] = 600, ["bit_send"] = 1560, ["varbit_send"] = 1562,
    };

    private readonly Dictionary<uint, TypeDescription> _found = found.ToDictionary(type => type.Oid);
    private readonly Dictionary<uint, TypeEntry> _made = [];
    private readonly Dictionary<uint, bool> _readable = [];

    public IReadOnlyCollection<TypeEntry> Make()
    {
        foreach (var type in found)
            Resolve(type.Oid);
        return _made.Values;
    }

    private TypeEntry? Resolve(uint oid)
    {
        if (oid == 0)
            return null;
        if (_made.TryGetValue(oid, out var made))
            return made;
        if (!_found.TryGetValue(oid, out var description))
            return known.Find(oid);
        if (description.Element != 0 && Resolve(description.Element) is { Array: not null } element && element.ArrayOid == oid)
            return element.Array;
        return Keep(description);
    }

    private TypeEntry Keep(TypeDescription description)
    {
        var entry = Make(description);
        known.Mappings.Apply(entry, new TypeName(description.Schema, description.Name));
        _made[entry.Oid] = entry;
        if (entry.WithArray(known.BuiltIn.ArrayNullability).Array is { } array)
            _made[array.Oid] = array;
        return entry;
    }

    private TypeEntry Make(TypeDescription description) => description.Kind switch
    {
        'e' => Entry(description, () => TextFamily.All, new PlainTextFormat(), new EnumCodecFactory(known.Mappings.NameTranslator)),
        'c' when IsReadable(description) => Composite(description),
        'd' when Resolve(description.Base) is { } below =>
            below.As(description with { Fields = below.Description?.Fields ?? [] }, Find),
        'r' when Resolve(description.Subtype) is { HasBinaryCodec: true } bound => Range(description, bound),
        'm' when Resolve(description.Subtype) is { HasBinaryCodec: true, Description: { } of } range
            && Resolve(of.Subtype) is { } bound => Multirange(description, range, bound),
        _ => Base(description),
    };

    // A value with a field that nothing here can read comes as the server's text. A type that is being asked about, since it has itself for
    // a field, is readable.
    private bool IsReadable(TypeDescription description)
    {
        if (_readable.TryGetValue(description.Oid, out var answer))
            return answer;
        _readable[description.Oid] = true;
        return _readable[description.Oid] = description.Fields.All(IsReadable);
    }

    private bool IsReadable(FieldDescription field)
    {
        if (!_found.TryGetValue(field.TypeOid, out var type))
            return known.Find(field.TypeOid) is { HasBinaryCodec: true };
        if (type.Kind == 'c')
            return IsReadable(type);
        return _found.TryGetValue(type.Element, out var element) && element.Kind == 'c'
            ? IsReadable(element)
            : Resolve(field.TypeOid) is { HasBinaryCodec: true };
    }

    // Types that were found together know each other, whatever is forgotten later.
    private TypeEntry? Find(uint oid) => _made.GetValueOrDefault(oid) ?? known.Find(oid);

    private TypeEntry Composite(TypeDescription description)
    {
        var fields = new CompositeFields(description, Find);
        var format = new CompositeTextFormat(fields);
        return Entry(description, () => [new CompositeObjectsCodec(fields), .. AsText(description, format)], format,
            new CompositeCodecFactory(known.Mappings.NameTranslator));
    }

    private TypeEntry Range(TypeDescription description, TypeEntry bound)
    {
        var name = description.DisplayName;
        var format = bound.TextFormat is { } boundFormat ? new RangeTextFormat(name, bound, boundFormat) : null;
        return Ranges(description, bound, new RangeCodecs(name), format);
    }

    private TypeEntry Multirange(TypeDescription description, TypeEntry range, TypeEntry bound)
    {
        var name = description.DisplayName;
        var format = range.TextFormat is RangeTextFormat rangeFormat ? new MultirangeTextFormat(name, rangeFormat) : null;
        return Ranges(description, bound, new MultirangeCodecs(name), format);
    }

    private TypeEntry Ranges(TypeDescription description, TypeEntry bound, IRangeCodecs ranges, TextFormat? format) =>
        Entry(description, () => [.. bound.RangesOf(ranges), .. AsText(description, format)], format, new RangeCodecFactory(bound, ranges));

    private static IEnumerable<Codec> AsText(TypeDescription description, TextFormat? format) =>
        format is null ? [] : [new FormattedTextCodec(description.DisplayName, format)];

    private TypeEntry Base(TypeDescription description)
    {
        if (ExtensionTypes.All.TryGetValue(description.Name, out var type))
            return Entry(description, type.Codecs, type.Format);
        return SentAs.TryGetValue(description.SendFunction, out var oid) && known.BuiltIn.Find(oid) is { } sentAs
            ? sentAs.As(description, Find)
            : Entry(description, null, null);
    }

    private TypeEntry Entry(
        TypeDescription description, Func<IEnumerable<Codec>>? codecs, TextFormatter? formatter, ICodecFactory? factory = null) =>
        TypeEntry.Described(description, codecs, formatter, factory, Find);
}
