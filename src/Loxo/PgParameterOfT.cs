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
        if (!_binding.Fits(_typedValue, types))
            _binding.Bind(this, ordinal, _typedValue, types);
    }

    internal override void Take(PgDataReader reader, int ordinal) =>
        TypedValue = reader.IsDBNull(ordinal) ? default : reader.GetFieldValue<T>(ordinal);

    internal override bool TryBindType(SessionTypes types) => _binding.TryBindType(this, _typedValue, types);

    internal override void Write(MessageWriter writer, int ordinal) => _binding.Write(this, ordinal, _typedValue, writer);

    private protected override TypeEntry? InferType() => ParameterBinding.Infer(_typedValue);
}
