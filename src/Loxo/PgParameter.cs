using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>
/// A parameter of a command. Its PostgreSQL type is, in this order: <see cref="DataTypeName"/>, <see cref="PgDbType"/>,
/// <see cref="DbType"/>, or else what the .NET type of its value stands for.
/// </summary>
public partial class PgParameter : DbParameter, ICloneable
{
    private string _name = "";
    private object? _value;
    private TypeEntry? _declared;
    private string? _dataTypeName;
    private DbType? _dbType;
    private TypeEntry? _bound;
    private Codec? _codec;
    private bool _dependsOnKind;
    private object? _stamp;
    private FormatCode _format;

    /// <summary>A parameter without a name, type or value.</summary>
    public PgParameter()
    {
    }

    /// <summary>A parameter with a value, whose type follows from it.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="value">Null stands for "not set" and is refused at execution; NULL is <see cref="DBNull.Value"/>.</param>
    public PgParameter(string? parameterName, object? value)
    {
        ParameterName = parameterName;
        Value = value;
    }

    /// <summary>A parameter of a PostgreSQL type.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    public PgParameter(string? parameterName, PgDbType parameterType)
        : this(parameterName, parameterType, 0)
    {
    }

    /// <summary>A parameter of an ADO.NET type.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    public PgParameter(string? parameterName, DbType parameterType)
    {
        ParameterName = parameterName;
        DbType = parameterType;
    }

    /// <summary>A parameter of a PostgreSQL type and size.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    /// <param name="size">See <see cref="Size"/>.</param>
    public PgParameter(string? parameterName, PgDbType parameterType, int size)
    {
        ParameterName = parameterName;
        PgDbType = parameterType;
        Size = size;
    }

    /// <summary>A parameter of a PostgreSQL type, size and source column.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    /// <param name="size">See <see cref="Size"/>.</param>
    /// <param name="sourceColumn">The column of a data table that it is filled from.</param>
    public PgParameter(string? parameterName, PgDbType parameterType, int size, string? sourceColumn)
        : this(parameterName, parameterType, size)
    {
        SourceColumn = sourceColumn;
    }

    /// <summary>Its name without the leading <c>@</c> or <c>:</c>, compared without regard to case. Empty means positional (<c>$1</c>).</summary>
    [AllowNull]
    public sealed override string ParameterName
    {
        get => _name;
        set
        {
            _name = value is ['@' or ':', .. var rest] ? rest : value ?? "";
            Collection?.NamesChanged();
        }
    }

    /// <summary>
    /// The value. <see cref="DBNull.Value"/> stands for NULL; null means that it was not set, and the command refuses to run
    /// (output parameters excepted).
    /// </summary>
    /// <remarks>
    /// A <see cref="Stream"/> stands for bytea, or for the text of a value of the type that is set: a text type, <c>json</c>, <c>jsonb</c>,
    /// or a type that is exchanged as text. No other type takes one. It is read from its current position while it is sent, and is not
    /// disposed of. If it cannot seek and <see cref="Size"/> is not set, its length has to be found out first: it is copied, up to 16 MiB
    /// into memory, else into a temporary file. A <see cref="System.Buffers.ReadOnlySequence{T}"/> of bytes is sent from where it lies: its
    /// memory must stay as it is until the command has ended. A stream that fails or ends too early while it is sent takes the connection
    /// with it.
    /// </remarks>
    public override object? Value
    {
        get => _value;
        set
        {
            _value = value;
            ForgetBinding();
        }
    }

    /// <summary>The same as <see cref="Value"/>, under its provider-specific name.</summary>
    public object? PgValue
    {
        get => Value;
        set => Value = value;
    }

    /// <summary>The ADO.NET type; <see cref="System.Data.DbType.Object"/> when it follows from the value.</summary>
    public sealed override DbType DbType
    {
        get => _dbType ?? ((_declared ?? InferredType())?.PgDbType is { } type ? DbTypes.ToDbType(type) : DbType.Object);
        set
        {
            _declared = TypeCatalog.BuiltIn.Find(value);
            _dbType = value;
            _dataTypeName = null;
            ForgetType();
        }
    }

    /// <summary>The PostgreSQL type; <see cref="PgDbType.Unknown"/> when it follows from the value and that is not set.</summary>
    public PgDbType PgDbType
    {
        get => (_declared ?? InferredType())?.PgDbType ?? (_dataTypeName is null ? null : DbTypes.OfExtension(_dataTypeName)) ?? PgDbType.Unknown;
        set
        {
            _declared = value == PgDbType.Unknown ? null : TypeCatalog.BuiltIn.Find(value);
            _dbType = null;
            _dataTypeName = value == PgDbType.Unknown || _declared is not null ? null
                : DbTypes.ExtensionName(value) ?? throw new ArgumentException($"There is no type {value}.", nameof(value));
            ForgetType();
        }
    }

    /// <summary>
    /// The PostgreSQL type by name, as in SQL: <c>integer</c>, <c>text[]</c>, <c>myschema.mood</c>. Null when it was not set.
    /// A name that is not built in is looked up in the database.
    /// </summary>
    public string? DataTypeName
    {
        get => _dataTypeName ?? (_declared ?? InferredType())?.DisplayName;
        set
        {
            _dataTypeName = value;
            _declared = value is null ? null : TypeCatalog.BuiltIn.Find(value);
            _dbType = null;
            ForgetType();
        }
    }

    /// <inheritdoc/>
    public sealed override ParameterDirection Direction { get; set; } = ParameterDirection.Input;

    /// <inheritdoc/>
    public sealed override bool IsNullable { get; set; }

    /// <summary>
    /// The most characters or bytes of the value that are sent; 0 or -1 for all. Longer text, byte arrays and streams are cut. A stream that cannot
    /// seek must have exactly as many bytes or more.
    /// </summary>
    public sealed override int Size { get; set; }

    /// <summary>Kept for data adapters; PostgreSQL takes the precision from the value.</summary>
    public sealed override byte Precision { get; set; }

    /// <summary>Kept for data adapters; PostgreSQL takes the scale from the value.</summary>
    public sealed override byte Scale { get; set; }

    /// <inheritdoc/>
    [AllowNull]
    public sealed override string SourceColumn { get; set; } = "";

    /// <inheritdoc/>
    public sealed override bool SourceColumnNullMapping { get; set; }

    /// <inheritdoc/>
    public sealed override DataRowVersion SourceVersion { get; set; } = DataRowVersion.Current;

    /// <summary>The collection that it belongs to, or null.</summary>
    public PgParameterCollection? Collection { get; internal set; }

    internal bool IsInput => Direction is ParameterDirection.Input or ParameterDirection.InputOutput;

    internal bool IsOutput => Direction is not ParameterDirection.Input;

    internal virtual bool IsNull => _value is null or DBNull;

    /// <summary>The type to announce to the server; 0 lets the server choose.</summary>
    internal uint BoundOid => _bound?.Oid ?? 0;

    internal FormatCode BoundFormat => _format;

    /// <summary>What is done with a DateTime or DateTimeOffset that does not fit the type; null, the default, leaves that to the data source.</summary>
    public TimestampPolicy? TimestampPolicy
    {
        get;
        set
        {
            field = value;
            ForgetType();
        }
    }

    private protected TypeEntry? DeclaredType => _declared;

    private protected bool HasOwnTypeName => _dataTypeName is not null && _declared is null;

    /// <summary>Takes back type and value: a reused parameter starts anew.</summary>
    public sealed override void ResetDbType()
    {
        _declared = null;
        _dbType = null;
        _dataTypeName = null;
        ForgetType();
    }

    /// <summary>A parameter of the same name, type and value that belongs to no collection.</summary>
    public PgParameter Clone()
    {
        var clone = (PgParameter)MemberwiseClone();
        clone.Collection = null;
        return clone;
    }

    object ICloneable.Clone() => Clone();

    /// <inheritdoc/>
    public override string ToString() => ParameterName;

    /// <summary>Finds type and codec for the value as it is now. Where its type has to be looked up first, that is left to another call.</summary>
    /// <exception cref="InvalidOperationException">No value was set.</exception>
    /// <exception cref="InvalidCastException">The value is not one of the .NET types that its PostgreSQL type is written from.</exception>
    /// <exception cref="PgException">There is no type of that name.</exception>
    internal virtual void Bind(int ordinal, SessionTypes types)
    {
        if (_codec is not null && !_dependsOnKind && _value is { } same && same.GetType() == _codec.ValueType && ReferenceEquals(_stamp, types.Stamp))
            return;
        if (_value is null && Direction == ParameterDirection.Input)
            throw ParameterErrors.NotSet(this, ordinal);
        var type = TypeIn(types);
        SetBinding(type, null, types.Stamp);
        if (_value is null or DBNull)
            return;
        if (StreamedParameter.Is(_value))
        {
            if (type is null && HasOwnTypeName && types is { HasCatalogue: true, Wanted.Count: 0 })
                throw ParameterErrors.NoSuchType(this, ordinal, _dataTypeName!);
            if (type is { TakesStreams: false })
                throw ParameterErrors.CannotWrite(this, ordinal, ConversionErrors.NotWritable(type, _value.GetType()));
            SetBinding(type ?? (HasOwnTypeName ? null : StreamedParameter.Bytea), null, types.Stamp);
            return;
        }
        if (IsUndecided(_value, types))
        {
            SetUndecided(_value, types.Stamp);
            return;
        }
        // A DateTime's type depends on its Kind, so what is found for one value says nothing about the next.
        _dependsOnKind = _declared is null && TypeInference.DependsOnKind(_value.GetType());
        type ??= HasOwnTypeName ? null : UnderPolicy(types.Infer(_value.GetType(), _value));
        if (types.Wanted.Count > 0)
            return;
        if (type is null && (!HasOwnTypeName || types.CanLookUp))
            throw HasOwnTypeName ? ParameterErrors.NoSuchType(this, ordinal, _dataTypeName!) : ParameterErrors.NoTypeFor(this, ordinal, _value.GetType());
        SetBinding(type, type is null ? TextCodecFor(_value) : type.CodecForValue(_value, type.Format), types.Stamp);
        // The server reads more spellings of such values than are parsed here.
        if (_value is string && type is not null && (_codec is FormattedTextCodec || (_codec is null && type.TakesText)))
            SetTextBinding(type, TextFamily.String, types.Stamp);
        if (_codec is null)
        {
            throw type is null
                ? ParameterErrors.TextOnly(this, ordinal, _dataTypeName, _value.GetType())
                : ParameterErrors.CannotWrite(this, ordinal, ConversionErrors.NotWritable(type, _value.GetType()));
        }
    }

    /// <summary>For preparation, where a type will do: false when only a value can tell it.</summary>
    internal virtual bool TryBindType(SessionTypes types)
    {
        if (_declared is null && !HasOwnTypeName)
            return false;
        SetBinding(TypeIn(types), null, types.Stamp);
        return true;
    }

    internal virtual void Write(MessageWriter writer, int ordinal)
    {
        if (_value is null or DBNull)
        {
            writer.WriteNullValue();
            return;
        }
        if (_codec is null)
        {
            WriteStream(writer, _value, ordinal);
            return;
        }
        var start = writer.BeginValue();
        try
        {
            _codec.WriteObject(writer, Size > 0 ? Cut(_value, Size) : _value);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            throw ParameterErrors.CannotWrite(this, ordinal, e);
        }
        writer.EndValue(start);
    }

    private protected virtual TypeEntry? InferredType() => _value is null or DBNull ? null
        : _value is Stream ? StreamedParameter.Bytea
        : TypeInference.IsUndecidedRange(_value) ? null
        : TypeCatalog.BuiltIn.Infer(_value);

    private protected void WriteStream(MessageWriter writer, object value, int ordinal)
    {
        try
        {
            StreamedParameter.Write(writer, value, _bound, Size, ParameterErrors.Name(this, ordinal));
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            throw ParameterErrors.CannotWrite(this, ordinal, e);
        }
    }

    /// <summary>The type that was declared, as the database has it; null when none was, or it has to be looked up first.</summary>
    private protected TypeEntry? TypeIn(SessionTypes types)
    {
        if (_declared is { } declared)
            return UnderPolicy(types.Known.Find(declared.Oid));
        return HasOwnTypeName ? types.Find(_dataTypeName!) : null;
    }

    /// <summary>The type as it is written under the parameter's own policy, if it has one.</summary>
    private protected TypeEntry? UnderPolicy(TypeEntry? type) =>
        TimestampPolicy is { } policy && type is not null ? TypeCatalog.With(policy).Find(type.Oid) ?? type : type;

    private protected void SetBinding(TypeEntry? type, Codec? codec, object? stamp)
    {
        _bound = type;
        _codec = codec;
        _stamp = stamp;
        _format = type?.Format ?? (HasOwnTypeName ? FormatCode.Text : FormatCode.Binary);
    }

    private protected void SetTextBinding(TypeEntry type, Codec codec, object? stamp)
    {
        SetBinding(type, codec, stamp);
        _format = FormatCode.Text;
    }

    /// <summary>Whether neither the caller nor the value says which of two types it is, so that the server has to choose.</summary>
    private protected bool IsUndecided(object value, SessionTypes types) =>
        _declared is null && !HasOwnTypeName && TypeInference.IsUndecidedRange(value)
        && types.Known.Mappings.NameOf(value.GetType()) is null;

    /// <summary>Leaves the type to the server. The text of such a value is the same for each of the types.</summary>
    /// <returns>The codec, whose values are text.</returns>
    private protected Codec SetUndecided(object value, object? stamp)
    {
        var codec = TypeCatalog.BuiltIn.Infer(value)!.CodecForValue(value, FormatCode.Text)!;
        SetBinding(null, codec, stamp);
        _dependsOnKind = true;
        _format = FormatCode.Text;
        return codec;
    }

    // Another value of the same .NET type is written as the last one was.
    private void ForgetBinding()
    {
        if (_value is null || _codec is null || _value.GetType() != _codec.ValueType)
            ForgetType();
    }

    private void ForgetType() => SetBinding(null, null, null);

    private static Codec? TextCodecFor(object value) =>
        Array.Find(TextFamily.All, codec => codec.ValueType == value.GetType());

    private protected static object Cut(object value, int size) => value switch
    {
        string text when text.Length > size => text[..size],
        byte[] bytes when bytes.Length > size => bytes[..size],
        System.Buffers.ReadOnlySequence<byte> bytes when bytes.Length > size => bytes.Slice(0, size),
        _ => value,
    };
}
