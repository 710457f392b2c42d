using Loxo.Parameters;
using Loxo.Session;

namespace Loxo.Copy;

/// <summary>A column of an import, with the codec of its last value: later values of the same .NET type need no lookup.</summary>
internal struct ImportColumn
{
    /// <summary>Its name; empty if it is not known.</summary>
    public string Name;

    /// <summary>The OID of its type; 0 if it is not known.</summary>
    public uint TypeOid;

    /// <summary>Its type; null if that is not known. Then the first value decides on it.</summary>
    public TypeEntry? Type;

    /// <summary>The static .NET type of the last value; null before the first one, and if it was <see cref="object"/>.</summary>
    public Type? ClrType;

    /// <summary>Its codec, a <see cref="Codec{T}"/> of <see cref="ClrType"/>.</summary>
    public Codec? Codec;

    private Type? _boxedType;
    private Codec? _boxedCodec;

    /// <summary>The columns of a COPY that has started.</summary>
    public static ImportColumn[] Of(CopyExchange exchange)
    {
        var columns = new ImportColumn[exchange.ColumnCount];
        for (var i = 0; i < columns.Length; i++)
        {
            columns[i].Name = i < exchange.Columns.Count ? exchange.Columns[i].Name : "";
            columns[i].TypeOid = i < exchange.Columns.Count ? exchange.Columns[i].TypeOid : 0;
            columns[i].Type = exchange.Find(columns[i].TypeOid);
        }
        return columns;
    }

    /// <summary>The caller says which type a value has. That matters only where the column's type is not known.</summary>
    public void SetType(TypeEntry? type)
    {
        if (TypeOid == 0)
            Type ??= type;
    }

    /// <summary>The codec for a value that is not null.</summary>
    /// <exception cref="InvalidCastException">The .NET type does not go with the column's type.</exception>
    public Codec CodecFor<T>(T value, SessionTypes types)
    {
        var given = typeof(T) == typeof(object) ? value!.GetType() : typeof(T);
        if (given == _boxedType)
            return _boxedCodec!;
        if (TypeOid == 0)
            Type ??= value is Stream ? StreamedParameter.Bytea : ParameterBinding.Infer(value) ?? types.Infer(given, value);
        if (Type is not { HasBinaryCodec: true } type)
            throw CopyErrors.NotWritable(Type, TypeOid, given);
        var codec = (typeof(T) == typeof(object) ? null : type.CodecFor<T>()) ?? type.CodecForValue(value!)
            ?? throw CopyErrors.NotWritable(type, TypeOid, given);
        if (typeof(T) != typeof(object) && codec is Codec<T>)
            (ClrType, Codec) = (typeof(T), codec);
        else if (codec.ValueType == value!.GetType())
            (_boxedType, _boxedCodec) = (codec.ValueType, codec);
        return codec;
    }
}
