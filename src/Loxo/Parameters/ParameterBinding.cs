using System.Buffers;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Parameters;

/// <summary>How a parameter's value is sent. Later values of the same .NET type reuse it.</summary>
/// <remarks>T is <see cref="object"/> for a <see cref="PgParameter"/>, whose value alone tells its type. Null is NULL.</remarks>
internal struct ParameterBinding
{
    private TypeEntry? _type;
    // Null for NULL, and for a value that is read while it is sent.
    private Codec? _codec;
    private bool _isTyped;
    private object? _stamp;
    // Values of this type fit the binding without another look.
    private Type? _valueType;

    public readonly uint TypeOid => _type?.Oid ?? 0;

    public FormatCode Format { readonly get; private set; }

    public readonly bool Fits<T>(T? value, SessionTypes types) =>
        value is not null && _valueType == ClrTypeOf(value) && ReferenceEquals(_stamp, types.Stamp);

    /// <summary>Finds type and codec for the value. Where its type has to be looked up first, that is left to another call.</summary>
    public void Bind<T>(PgParameter parameter, int ordinal, T? value, SessionTypes types)
    {
        if (!parameter.IsNull && IsUndecided(parameter, value!, types))
        {
            // The text of such a value is the same for each of the types, so the server can choose one.
            Set(null, TypeCatalog.BuiltIn.Infer(value)!.CodecForValue(value!, FormatCode.Text), FormatCode.Text, types.Stamp);
            return;
        }
        var type = parameter.HasType ? Declared(parameter, types) : UnderPolicy(parameter, Infer(value, parameter.IsNull, types));
        if (types.NamesToLookUp.Count > 0)
            return;
        if (type is null && parameter.HasType && types.CanLookUp)
            throw ParameterErrors.NoSuchType(parameter, ordinal, parameter.DataTypeName!, types.Known.BuiltIn.IsLikeNpgsql);
        if (parameter.IsNull)
            SetNull(parameter, type, types.Stamp);
        else if (type is null && !parameter.HasType)
            throw ParameterErrors.NoTypeFor(parameter, ordinal, DeclaredTypeOf(value!));
        else if (StreamedArray.Is(value, type))
            Set(parameter, type, null, types.Stamp);
        else if (StreamedParameter.Is(value))
            SetStreamed(parameter, ordinal, type, value!, types.Stamp);
        else
            SetCodec(parameter, ordinal, type, value!, types.Stamp);
    }

    /// <summary>For preparation, where a type will do: false when only a value can tell it.</summary>
    public bool TryBindType<T>(PgParameter parameter, T? value, SessionTypes types)
    {
        if (parameter.HasType)
        {
            Set(parameter, Declared(parameter, types), null, types.Stamp);
            return true;
        }
        if (value is not null || typeof(T) == typeof(object))
            return false;
        // Without a value, a DateTime's kind is taken for Unspecified.
        var type = types.Known.Mappings.IsEmpty ? TypeCatalog.BuiltIn.Infer<T>(default) : types.Infer(typeof(T), null);
        if (type is null && types.NamesToLookUp.Count == 0)
            return false;
        Set(parameter, type, null, types.Stamp);
        return true;
    }

    /// <summary>Binds to a codec that was found elsewhere. It holds for this execution only.</summary>
    public void Set(TypeEntry type, Codec codec) => Set(type, codec, type.Format, stamp: null);

    public readonly void Write<T>(PgParameter parameter, int ordinal, T? value, MessageWriter writer)
    {
        if (value is null)
        {
            writer.WriteNullValue();
            return;
        }
        try
        {
            if (_codec is null)
            {
                StreamedParameter.Write(writer, value, _type, parameter.Size, ParameterErrors.Name(parameter, ordinal));
                return;
            }
            if (parameter.Size > 0)
                value = (T)Cut(value, parameter.Size);
            if (_isTyped)
            {
                Unsafe.As<Codec<T>>(_codec).WriteWithLength(writer, value);
                return;
            }
            var start = writer.BeginValue();
            _codec.WriteObject(writer, value);
            writer.EndValue(start);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            throw ParameterErrors.CannotWrite(parameter, ordinal, e);
        }
    }

    /// <summary>The built-in type that a value stands for by itself; null when it does not tell.</summary>
    public static TypeEntry? Infer<T>(T? value) =>
        Kinds<T>.Matter && (value is null || TypeInference.IsUndecidedRange(value)) ? null
        : value is Stream ? StreamedParameter.Bytea
        : TypeCatalog.BuiltIn.Infer(value) ?? StreamedParameter.TypeOf(value);

    // T tells the type of NULL too, so that a prepared command fits it; only a DateTime's kind cannot be told.
    private static TypeEntry? Infer<T>(T? value, bool isNull, SessionTypes types)
    {
        if (value is Stream)
            return StreamedParameter.Bytea;
        if (value is null && typeof(T) == typeof(object))
            return null;
        var known = types.Known;
        if (known.Mappings.IsEmpty && known.BuiltIn.Infer(value) is { } builtIn)
            return isNull && Kinds<T>.Matter ? null : builtIn;
        return types.Infer(value?.GetType() ?? typeof(T), value) ?? StreamedParameter.TypeOf(value);
    }

    // The type that was set, as the database has it; null when it has to be looked up first, or when only the server may know it.
    private static TypeEntry? Declared(PgParameter parameter, SessionTypes types) => parameter.DeclaredType is { } declared
        ? UnderPolicy(parameter, types.Known.Find(declared.Oid))
        : types.Find(parameter.DataTypeName!);

    private static TypeEntry? UnderPolicy(PgParameter parameter, TypeEntry? type) =>
        parameter.TimestampPolicy is { } policy && type is not null ? TypeCatalog.With(policy).Find(type.Oid) ?? type : type;

    // Whether neither the caller nor the value says which of two types it is.
    private static bool IsUndecided<T>(PgParameter parameter, T value, SessionTypes types) =>
        Kinds<T>.Matter && typeof(T) != typeof(DateTime) && !parameter.HasType
        && TypeInference.IsUndecidedRange(value!) && types.Known.Mappings.NameOf(value!.GetType()) is null;

    // For a value type it is the declared one: to ask a nullable value would box it.
    private static Type ClrTypeOf<T>(T value) => typeof(T).IsValueType ? typeof(T) : value!.GetType();

    private static Type DeclaredTypeOf<T>(T value) => typeof(T) == typeof(object) ? value!.GetType() : typeof(T);

    private void SetNull(PgParameter parameter, TypeEntry? type, object stamp)
    {
        // The codec is kept for the next value.
        if (!ReferenceEquals(type, _type) || !ReferenceEquals(stamp, _stamp))
            Set(parameter, type, null, stamp);
    }

    private void SetStreamed<T>(PgParameter parameter, int ordinal, TypeEntry? type, T value, object stamp)
    {
        if (type is { TakesStreams: false })
            throw ParameterErrors.CannotWrite(parameter, ordinal, ConversionErrors.NotWritable(type, value!.GetType()));
        Set(parameter, type, null, stamp);
    }

    private void SetCodec<T>(PgParameter parameter, int ordinal, TypeEntry? type, T value, object stamp)
    {
        if (!_isTyped || !ReferenceEquals(type, _type) || !ReferenceEquals(stamp, _stamp))
            FindCodec(parameter, ordinal, type, value, stamp);
        var clrType = ClrTypeOf(value);
        // A DateTime's type depends on its kind, and some values are streamed: one value says nothing about the next.
        _valueType = (_isTyped || _codec!.ValueType == clrType) && !StreamedParameter.IsForSome(clrType)
            && (parameter.DeclaredType is not null || !TypeInference.DependsOnKind(clrType)) ? clrType : null;
    }

    private void FindCodec<T>(PgParameter parameter, int ordinal, TypeEntry? type, T value, object stamp)
    {
        var isTyped = typeof(T) != typeof(object);
        var codec = type is null ? TextCodecFor(value!.GetType())
            : (isTyped ? type.CodecFor<T>(type.Format) : null) ?? type.CodecForValue(value!, type.Format);
        // The server reads more spellings of such values than are parsed here.
        if (value is string && type is not null && (codec is FormattedTextCodec || (codec is null && type.TakesText)))
            Set(type, TextFamily.String, FormatCode.Text, stamp);
        else
            Set(parameter, type, codec, stamp);
        if (_codec is null)
        {
            throw type is null
                ? ParameterErrors.TextOnly(parameter, ordinal, parameter.DataTypeName, DeclaredTypeOf(value))
                : ParameterErrors.CannotWrite(parameter, ordinal, ConversionErrors.NotWritable(type, DeclaredTypeOf(value)));
        }
        _isTyped = isTyped && _codec is Codec<T>;
    }

    // A method of its own, as a lambda in FindCodec would cost every call an object.
    private static Codec? TextCodecFor(Type clrType) => Array.Find(TextFamily.All, codec => codec.ValueType == clrType);

    // The server chooses another type for a parameter of type unknown (parse_param.c), so only the text fits.
    private void Set(PgParameter parameter, TypeEntry? type, Codec? codec, object? stamp) => Set(type, codec,
        type is null or { PgDbType: PgDbType.Unknown } && parameter.HasType ? FormatCode.Text : type?.Format ?? FormatCode.Binary, stamp);

    private void Set(TypeEntry? type, Codec? codec, FormatCode format, object? stamp)
    {
        (_type, _codec, _stamp) = (type, codec, stamp);
        Format = format;
        _isTyped = false;
        _valueType = null;
    }

    private static object Cut(object value, int size) => value switch
    {
        string text when text.Length > size => text[..size],
        byte[] bytes when bytes.Length > size => bytes[..size],
        ReadOnlySequence<byte> bytes when bytes.Length > size => bytes.Slice(0, size),
        _ => value,
    };

    // Asked for once for each T, not for each value.
    private static class Kinds<T>
    {
        public static readonly bool Matter = typeof(T) == typeof(object) || TypeInference.DependsOnKind(typeof(T));
    }
}
