using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>A parameter whose value is not boxed on its way to the server.</summary>
/// <typeparam name="T">The .NET type of the value.</typeparam>
public sealed class PgParameter<T> : PgParameter
{
    private T? _typedValue;
    private bool _isSet;
    private Codec<T>? _codec;
    private Codec? _untyped;
    private object? _codecStamp;
    private Type? _inferredFor;
    private bool _isText;

    /// <summary>A parameter without a name or value.</summary>
    public PgParameter()
    {
    }

    /// <summary>A positional parameter with a value.</summary>
    /// <param name="value">Null stands for NULL.</param>
    public PgParameter(T? value)
    {
        TypedValue = value;
    }

    /// <summary>A parameter with a value.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="value">Null stands for NULL.</param>
    public PgParameter(string? parameterName, T? value)
    {
        ParameterName = parameterName;
        TypedValue = value;
    }

    /// <summary>A parameter of a PostgreSQL type, to be given a value.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    public PgParameter(string? parameterName, PgDbType parameterType)
        : base(parameterName, parameterType)
    {
    }

    /// <summary>The value; null stands for NULL.</summary>
    public T? TypedValue
    {
        get => _typedValue;
        set
        {
            _typedValue = value;
            _isSet = true;
        }
    }

    /// <summary>The value as an object: <see cref="DBNull.Value"/> for NULL.</summary>
    /// <exception cref="InvalidCastException">The value is not a <typeparamref name="T"/>.</exception>
    public override object? Value
    {
        get => !_isSet ? null : _typedValue is null ? DBNull.Value : _typedValue;
        set => TypedValue = value is null or DBNull ? default : (T)value;
    }

    internal override bool IsNull => _typedValue is null;

    internal override void Bind(int ordinal, SessionTypes types)
    {
        if (!_isSet && IsInput)
            throw ParameterErrors.NotSet(this, ordinal);
        var stamp = types.Stamp;
        // Another value of the same .NET type is written as the last one was, unless its kind decides.
        if (_codec is not null && ReferenceEquals(stamp, _codecStamp) && BoundOid != 0 && _typedValue is not null && _typedValue.GetType() == _inferredFor)
            return;
        _inferredFor = null;
        if (Kinds.Matter && _typedValue is not null && IsUndecided(_typedValue, types))
        {
            _codec = null;
            _untyped = SetUndecided(_typedValue, stamp);
            return;
        }
        var type = TypeIn(types) ?? (HasOwnTypeName ? null : UnderPolicy(InferredType(types)));
        if (types.Wanted.Count > 0)
            return;
        if (!typeof(T).IsValueType && _typedValue is Stream)
            type ??= HasOwnTypeName ? null : StreamedParameter.Bytea;
        if (type is null && _typedValue is not null && (!HasOwnTypeName || types.CanLookUp))
            throw HasOwnTypeName ? ParameterErrors.NoSuchType(this, ordinal, DataTypeName!) : ParameterErrors.NoTypeFor(this, ordinal, typeof(T));
        if (StreamedParameter.Is(_typedValue))
        {
            if (type is { TakesStreams: false })
                throw ParameterErrors.CannotWrite(this, ordinal, ConversionErrors.NotWritable(type, _typedValue!.GetType()));
            SetBinding(type, _codec = null, stamp);
            return;
        }
        if (_codec is null || !ReferenceEquals(stamp, _codecStamp) || type?.Oid != BoundOid)
            FindCodec(type);
        _codecStamp = stamp;
        if (_isText)
            SetTextBinding(type!, _codec!, stamp);
        else
            SetBinding(type, _codec, stamp);
        if (_codec is not null && _typedValue is not null && !(DeclaredType is null && TypeInference.DependsOnKind(_typedValue.GetType())))
            _inferredFor = _typedValue.GetType();
        if (_codec is not null || _typedValue is null)
            return;
        if (type is null)
            throw ParameterErrors.TextOnly(this, ordinal, DataTypeName, typeof(T));
        if (type.CodecForValue(_typedValue, type.Format) is { } ofValue)
            SetBinding(type, _untyped = ofValue, stamp);
        else
            throw ParameterErrors.CannotWrite(this, ordinal, ConversionErrors.NotWritable(type, typeof(T)));
    }

    // Without a value T itself tells the type; a DateTime's kind is taken for Unspecified then.
    internal override bool TryBindType(SessionTypes types)
    {
        if (base.TryBindType(types))
            return true;
        if (_typedValue is not null)
            return false;
        var type = types.Known.Mappings.IsEmpty ? TypeCatalog.BuiltIn.Infer<T>(default) : types.Infer(typeof(T), null);
        if (type is null && types.Wanted.Count == 0)
            return false;
        SetBinding(type, null, types.Stamp);
        return true;
    }

    internal override void Write(MessageWriter writer, int ordinal)
    {
        if (_typedValue is null)
        {
            writer.WriteNullValue();
            return;
        }
        if (StreamedParameter.Is(_typedValue))
        {
            WriteStream(writer, _typedValue, ordinal);
            return;
        }
        var start = writer.BeginValue();
        try
        {
            var value = Size > 0 ? (T)Cut(_typedValue, Size) : _typedValue;
            if (_codec is not null)
                _codec.Write(writer, value);
            else
                _untyped!.WriteObject(writer, value!);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            throw ParameterErrors.CannotWrite(this, ordinal, e);
        }
        writer.EndValue(start);
    }

    private void FindCodec(TypeEntry? type)
    {
        _codec = type is null ? TextFamily.String as Codec<T> : type.CodecFor<T>(type.Format);
        // The server reads more spellings of such values than are parsed here.
        _isText = typeof(T) == typeof(string) && type is not null && ((object?)_codec is FormattedTextCodec || (_codec is null && type.TakesText));
        if (_isText)
            _codec = TextFamily.String as Codec<T>;
    }

    private TypeEntry? InferredType(SessionTypes types)
    {
        var known = types.Known;
        if (known.Mappings.IsEmpty && known.BuiltIn.Infer(_typedValue) is { } builtIn)
            return _typedValue is null && Kinds.Matter ? null : builtIn;
        return types.Infer(_typedValue?.GetType() ?? typeof(T), _typedValue);
    }

    // T tells the type of NULL too, so that a prepared command fits it; only a DateTime's kind cannot be told.
    private protected override TypeEntry? InferredType() =>
        Kinds.Matter && (_typedValue is null || TypeInference.IsUndecidedRange(_typedValue)) ? null
        : TypeCatalog.BuiltIn.Infer(_typedValue) ?? (_typedValue is Stream ? StreamedParameter.Bytea : null);

    // Asked for once for each T, not for each value.
    private static class Kinds
    {
        public static readonly bool Matter = typeof(T) == typeof(object) || TypeInference.DependsOnKind(typeof(T));
    }
}
