using Loxo.Protocol.Frontend;
using Loxo.Types;
using Loxo.Types.Codecs;

namespace Loxo;

/// <summary>A parameter whose value is not boxed on its way to the server.</summary>
/// <typeparam name="T">The .NET type of the value.</typeparam>
public sealed class PgParameter<T> : PgParameter
{
    private T? _typedValue;
    private bool _isSet;
    private Codec<T>? _codec;

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

    internal override void Bind(int ordinal)
    {
        if (!_isSet && IsInput)
            throw ParameterErrors.NotSet(this, ordinal);
        var type = DeclaredType ?? (HasOwnTypeName ? null : InferredType());
        if (type is null && _typedValue is not null && !HasOwnTypeName)
            throw ParameterErrors.NoTypeFor(this, ordinal, typeof(T));
        if (_codec is null || type?.Oid != BoundOid)
            _codec = type is null ? TextFamily.String as Codec<T> : type.CodecFor<T>(type.Format);
        if (_codec is null && _typedValue is not null)
            throw type is null
                ? ParameterErrors.TextOnly(this, ordinal, DataTypeName, typeof(T))
                : ParameterErrors.CannotWrite(this, ordinal, TypeErrors.NotWritable(type, typeof(T)));
        SetBinding(type, _codec);
    }

    // Without a value T itself tells the type; a DateTime's kind is taken for Unspecified then.
    internal override bool TryBindType()
    {
        if (base.TryBindType())
            return true;
        if (_typedValue is not null || TypeCatalog.BuiltIn.Infer<T>(default) is not { } type)
            return false;
        SetBinding(type, null);
        return true;
    }

    internal override void Write(MessageWriter writer, int ordinal)
    {
        if (_typedValue is null)
        {
            writer.WriteNullValue();
            return;
        }
        var start = writer.BeginValue();
        try
        {
            _codec!.Write(writer, Size > 0 ? (T)Cut(_typedValue, Size) : _typedValue);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            throw ParameterErrors.CannotWrite(this, ordinal, e);
        }
        writer.EndValue(start);
    }

    // T tells the type of NULL too, so that a prepared command fits it; only a DateTime's kind cannot be told.
    private protected override TypeEntry? InferredType() =>
        _typedValue is null && typeof(T).IsValueType && TypeInference.DependsOnKind(typeof(T)) ? null : TypeCatalog.BuiltIn.Infer(_typedValue);
}
