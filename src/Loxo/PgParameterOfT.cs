using System.Data;
using Loxo.Parameters;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>A parameter whose value is not boxed on its way to the server.</summary>
/// <typeparam name="T">The .NET type of the value.</typeparam>
public sealed class PgParameter<T> : PgParameter
{
    private T? _typedValue;
    private bool _isSet;
    // Also where T cannot be null.
    private bool _isNull = true;

    /// <summary>A parameter without a name or value.</summary>
    public PgParameter()
    {
    }

    /// <summary>A positional parameter with a value.</summary>
    /// <param name="value">Null stands for NULL.</param>
    public PgParameter(T? value) => TypedValue = value;

    /// <summary>A parameter with a value.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="value">Null stands for NULL.</param>
    public PgParameter(string? parameterName, T? value) => (ParameterName, TypedValue) = (parameterName, value);

    /// <summary>A parameter of a PostgreSQL type, to be given a value.</summary>
    /// <inheritdoc cref="PgParameter(string?, PgDbType)"/>
    public PgParameter(string? parameterName, PgDbType parameterType)
        : base(parameterName, parameterType)
    {
    }

    /// <summary>A parameter of an ADO.NET type, to be given a value.</summary>
    /// <inheritdoc cref="PgParameter(string?, PgDbType)"/>
    public PgParameter(string? parameterName, DbType parameterType)
        : base(parameterName, parameterType)
    {
    }

    /// <summary>The value; null stands for NULL, and so does <see cref="DBNull.Value"/> if it is a <typeparamref name="T"/>.</summary>
    public T? TypedValue
    {
        get => _typedValue;
        set
        {
            _typedValue = value is DBNull ? default : value;
            _isSet = true;
            _isNull = _typedValue is null;
        }
    }

    /// <summary>The value as an object: <see cref="DBNull.Value"/> for NULL, also if <typeparamref name="T"/> cannot be null.</summary>
    /// <exception cref="InvalidCastException">The value is not a <typeparamref name="T"/>.</exception>
    public override object? Value
    {
        get => !_isSet ? null : _isNull ? DBNull.Value : _typedValue;
        set
        {
            TypedValue = value is null or DBNull ? default : (T)value;
            _isNull = value is null or DBNull;
        }
    }

    internal override bool IsNull => _isNull;

    internal override void Bind(int ordinal, SessionTypes types)
    {
        if (!_isSet && IsInput)
            throw ParameterErrors.NotSet(this, ordinal);
        if (!_binding.Fits(_typedValue, types))
            _binding.Bind(this, ordinal, _typedValue, types);
    }

    internal override void Take(PgDataReader reader, int ordinal)
    {
        if (reader.IsDBNull(ordinal))
            Value = DBNull.Value;
        else
            TypedValue = reader.GetFieldValue<T>(ordinal);
    }

    internal override bool TryBindType(SessionTypes types) => _binding.TryBindType(this, _typedValue, types);

    internal override void KeepValue() => _typedValue = (T?)ValueCopy.Of(_typedValue);

    internal override void Write(MessageWriter writer, int ordinal)
    {
        if (_isNull)
            writer.WriteNullValue();
        else
            _binding.Write(this, ordinal, _typedValue, writer);
    }

    private protected override TypeEntry? InferType() => ParameterBinding.Infer(_typedValue);
}
