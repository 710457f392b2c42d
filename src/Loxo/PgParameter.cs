using System.Data;
using System.Data.Common;
using System.Text.Json.Serialization.Metadata;
using Loxo.Parameters;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>
/// A parameter of a command. Its PostgreSQL type is, in this order: <see cref="DataTypeName"/>, <see cref="PgDbType"/>,
/// <see cref="DbType"/>, or else what the .NET type of its value stands for.
/// </summary>
/// <exception cref="ArgumentException">Any member that takes a type, a size, a direction or a version: there is no such one.</exception>
public class PgParameter : DbParameter, IDbDataParameter, ICloneable
{
    private string _name = "";
    private object? _value;
    private PgParameterCollection? _collection;
    private ParameterDetails? _details;
    // The type that counts, if it is built in.
    private TypeEntry? _declared;
    private protected ParameterBinding _binding;
    private int _size;
    // What was set, in few bytes: a command has many parameters.
    private PgDbType _pgDbType;
    private byte _dbType;
    private bool _hasPgDbType;
    private bool _hasDbType;
    private bool _isMarked;
    private byte _direction = (byte)ParameterDirection.Input;

    /// <summary>A parameter without a name, type or value.</summary>
    public PgParameter()
    {
    }

    /// <summary>A parameter with a value, whose type follows from it.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="value">Null stands for "not set" and is refused at execution; NULL is <see cref="DBNull.Value"/>.</param>
    public PgParameter(string? parameterName, object? value) => (ParameterName, Value) = (parameterName, value);

    /// <summary>A parameter of a PostgreSQL type.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    public PgParameter(string? parameterName, PgDbType parameterType)
        : this(parameterName, parameterType, 0)
    {
    }

    /// <summary>A parameter of an ADO.NET type.</summary>
    /// <inheritdoc cref="PgParameter(string?, PgDbType)"/>
    public PgParameter(string? parameterName, DbType parameterType) => (ParameterName, DbType) = (parameterName, parameterType);

    /// <summary>A parameter of an ADO.NET type and size.</summary>
    /// <inheritdoc cref="PgParameter(string?, PgDbType, int)"/>
    public PgParameter(string? parameterName, DbType parameterType, int size)
        : this(parameterName, parameterType) => Size = size;

    /// <summary>A parameter of an ADO.NET type, size and source column.</summary>
    /// <inheritdoc cref="PgParameter(string?, PgDbType, int, string?)"/>
    public PgParameter(string? parameterName, DbType parameterType, int size, string? sourceColumn)
        : this(parameterName, parameterType, size) => SourceColumn = sourceColumn;

    /// <summary>A parameter of a PostgreSQL type and size.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    /// <param name="size">See <see cref="Size"/>.</param>
    public PgParameter(string? parameterName, PgDbType parameterType, int size) =>
        (ParameterName, PgDbType, Size) = (parameterName, parameterType, size);

    /// <summary>A parameter of a PostgreSQL type, size and source column.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    /// <param name="size">See <see cref="Size"/>.</param>
    /// <param name="sourceColumn">The column of a data table that it is filled from.</param>
    public PgParameter(string? parameterName, PgDbType parameterType, int size, string? sourceColumn)
        : this(parameterName, parameterType, size) => SourceColumn = sourceColumn;

    /// <summary>A parameter for a data adapter, with all that it can be told at once.</summary>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="parameterType">Its type.</param>
    /// <param name="size">See <see cref="Size"/>.</param>
    /// <param name="sourceColumn">The column of a data table that it is filled from.</param>
    /// <param name="direction">See <see cref="Direction"/>.</param>
    /// <param name="isNullable">See <see cref="IsNullable"/>.</param>
    /// <param name="precision">See <see cref="Precision"/>.</param>
    /// <param name="scale">See <see cref="Scale"/>.</param>
    /// <param name="sourceVersion">See <see cref="SourceVersion"/>.</param>
    /// <param name="value">See <see cref="Value"/>.</param>
    public PgParameter(
        string? parameterName, PgDbType parameterType, int size, string? sourceColumn, ParameterDirection direction, bool isNullable,
        byte precision, byte scale, DataRowVersion sourceVersion, object? value)
        : this(parameterName, parameterType, size, sourceColumn) =>
        (Direction, IsNullable, Precision, Scale, SourceVersion, Value) = (direction, isNullable, precision, scale, sourceVersion, value);

    /// <inheritdoc cref="PgParameter(string?, PgDbType, int, string?, ParameterDirection, bool, byte, byte, DataRowVersion, object?)"/>
    public PgParameter(
        string? parameterName, DbType parameterType, int size, string? sourceColumn, ParameterDirection direction, bool isNullable,
        byte precision, byte scale, DataRowVersion sourceVersion, object? value)
        : this(parameterName, parameterType, size, sourceColumn) =>
        (Direction, IsNullable, Precision, Scale, SourceVersion, Value) = (direction, isNullable, precision, scale, sourceVersion, value);

    /// <summary>
    /// Its name as it was set, case-insensitive; a leading <c>@</c> or <c>:</c> does not count. Empty, as after null, means positional
    /// (<c>$1</c>).
    /// </summary>
    [AllowNull]
    public sealed override string ParameterName
    {
        get => _name;
        set
        {
            var former = Name;
            _name = value ?? "";
            _isMarked = value is ['@' or ':', ..];
            _collection?.Renamed(former, Name);
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
    /// with it. An array or list may have streams for elements, all of it being <c>bytea[]</c> or the type that is set; each is treated as
    /// said above. If one of them cannot seek, the whole array is copied before it is sent: up to 16 MiB of it are in memory, and as many
    /// of the element that is being copied. <see cref="Size"/> does not cut elements.
    /// </remarks>
    /// <exception cref="InvalidCastException">This is a <see cref="PgParameter{T}"/>, and the value is not of its type.</exception>
    public override object? Value { get => _value; set => _value = value; }

    /// <summary>The same as <see cref="Value"/>, under its provider-specific name.</summary>
    /// <exception cref="InvalidCastException">As for <see cref="Value"/>.</exception>
    public object? PgValue { get => Value; set => Value = value; }

    /// <summary>
    /// The ADO.NET type, as it was set or as it follows from the PostgreSQL type or the value; <see cref="System.Data.DbType.Object"/> for
    /// any other. Object, if it is set, leaves the type to the value.
    /// </summary>
    public sealed override DbType DbType
    {
        get => GivenDbType ?? (KnownPgDbType is { } type ? DbTypes.ToDbType(type) : DbType.Object);
        set
        {
            (_dbType, _hasDbType) = ((byte)DefinedValue.Of(value), true);
            Declare();
        }
    }

    /// <summary>
    /// The PostgreSQL type, as it was set or as it follows from <see cref="DataTypeName"/>, <see cref="DbType"/> or the value;
    /// <see cref="PgDbType.Unknown"/> if none of them is set. Where Unknown is set, the server chooses the type, as it does for a quoted
    /// literal; the value is a string then.
    /// </summary>
    public PgDbType PgDbType
    {
        get => GivenPgDbType ?? KnownPgDbType ?? PgDbType.Unknown;
        set
        {
            if (TypeCatalog.BuiltIn.Find(value) is null && DbTypes.ExtensionName(value) is null)
                throw new ArgumentException($"There is no type {value}.", nameof(value));
            (_pgDbType, _hasPgDbType) = (value, true);
            Declare();
        }
    }

    /// <summary>
    /// The PostgreSQL type by name, as in SQL: <c>integer</c>, <c>text[]</c>, <c>myschema.mood</c>; as it was set or as it follows from
    /// <see cref="PgDbType"/>, <see cref="DbType"/> or the value, and null if none of them is set. A name that is not built in is looked up
    /// in the database.
    /// </summary>
    public string? DataTypeName
    {
        get => TypeName ?? KnownType?.DisplayName;
        set
        {
            if (value is not null || _details is not null)
                Details.DataTypeName = value;
            Declare();
        }
    }

    /// <inheritdoc/>
    public sealed override ParameterDirection Direction
    {
        get => (ParameterDirection)_direction;
        set
        {
            if (DefinedValue.Of(value) == Direction)
                return;
            _direction = (byte)value;
            _collection?.Redirected();
        }
    }

    /// <inheritdoc/>
    public sealed override bool IsNullable { get; set; }

    /// <summary>
    /// The most characters or bytes of the value that are sent; 0 or -1 for all. Longer text, byte arrays and streams are cut. A stream
    /// that cannot seek must have exactly as many bytes or more.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than -1.</exception>
    public sealed override int Size
    {
        get => _size;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, -1);
            _size = value;
        }
    }

    /// <summary>Kept for data adapters; PostgreSQL takes the precision from the value.</summary>
    public sealed override byte Precision { get => _details?.Precision ?? 0; set => Details.Precision = value; }

    /// <summary>Kept for data adapters; PostgreSQL takes the scale from the value.</summary>
    public sealed override byte Scale { get => _details?.Scale ?? 0; set => Details.Scale = value; }

    /// <inheritdoc/>
    [AllowNull]
    public sealed override string SourceColumn { get => _details?.SourceColumn ?? ""; set => Details.SourceColumn = value ?? ""; }

    /// <inheritdoc/>
    public sealed override bool SourceColumnNullMapping
    {
        get => _details is { SourceColumnNullMapping: true };
        set => Details.SourceColumnNullMapping = value;
    }

    /// <inheritdoc/>
    public sealed override DataRowVersion SourceVersion
    {
        get => _details?.SourceVersion ?? DataRowVersion.Current;
        set => Details.SourceVersion = DefinedValue.Of(value);
    }

    /// <summary>The collection that it belongs to, or null. Setting it moves the parameter to the end of another collection.</summary>
    public PgParameterCollection? Collection
    {
        get => _collection;
        set
        {
            if (ReferenceEquals(value, _collection))
                return;
            _collection?.Remove(this);
            value?.Add(this);
        }
    }

    /// <summary>
    /// The PostgreSQL type of the parameter: of the type that was set, or that its value stands for. Null where only a database tells it,
    /// unless <see cref="PgCommandBuilder.DeriveParameters"/> has asked one.
    /// </summary>
    public PostgresType? PostgresType => _details?.DerivedType ?? (KnownType is { } type ? PostgresTypeModel.OfBuiltIn(type) : null);

    /// <summary>The name without the leading <c>@</c> or <c>:</c>.</summary>
    internal ReadOnlySpan<char> Name => _name.AsSpan(_isMarked ? 1 : 0);

    internal void MoveTo(PgParameterCollection? collection) => _collection = collection;

    /// <summary>Keeps a type that the database has told, until another one is set.</summary>
    internal void Derive(PostgresType type) => Details.DerivedType = type;

    internal bool IsInput => Direction is ParameterDirection.Input or ParameterDirection.InputOutput;

    internal bool IsOutput => Direction is not ParameterDirection.Input;

    internal virtual bool IsNull => _value is null or DBNull;

    /// <summary>The type to announce to the server; 0 lets the server choose.</summary>
    internal uint BoundOid => _binding.TypeOid;

    internal FormatCode BoundFormat => _binding.Format;

    /// <summary>The built-in type that was set; null for none, and for one that has to be looked up by its name.</summary>
    internal TypeEntry? DeclaredType => _declared;

    internal bool HasType => _declared is not null || TypeName is not null;

    /// <summary>What is done with a DateTime or DateTimeOffset that does not fit; null, the default, is as the data source says.</summary>
    public TimestampPolicy? TimestampPolicy
    {
        get => _details?.TimestampPolicy;
        set
        {
            Details.TimestampPolicy = value;
            ForgetType();
        }
    }

    /// <summary>Takes back type and value: a reused parameter starts anew.</summary>
    public sealed override void ResetDbType()
    {
        _details?.DataTypeName = null;
        _hasPgDbType = _hasDbType = false;
        Declare();
    }

    /// <summary>A parameter of the same name, type and value that belongs to no collection.</summary>
    public PgParameter Clone()
    {
        var clone = (PgParameter)MemberwiseClone();
        clone._collection = null;
        clone._details = _details is null ? null : _details with { };
        return clone;
    }

    object ICloneable.Clone() => Clone();

    /// <inheritdoc/>
    public override string ToString() => ParameterName;

    /// <summary>
    /// A parameter whose value is serialized as JSON by the metadata given: without reflection, and whatever the data source says of JSON.
    /// Any value of a parameter whose type is <c>json</c> or <c>jsonb</c> becomes JSON; this is for metadata of your own.
    /// </summary>
    /// <typeparam name="T">The .NET type of the value.</typeparam>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="value">Null stands for NULL, not for the JSON text <c>null</c>.</param>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, or of <c>JsonSerializerOptions.GetTypeInfo</c>.</param>
    /// <param name="parameterType"><see cref="PgDbType.Jsonb"/> by default, or <see cref="PgDbType.Json"/>.</param>
    /// <exception cref="ArgumentException">The type is neither json nor jsonb.</exception>
    public static PgParameter Json<T>(string? parameterName, T? value, JsonTypeInfo<T> typeInfo, PgDbType parameterType = PgDbType.Jsonb)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        if (parameterType is not (PgDbType.Json or PgDbType.Jsonb))
            throw new ArgumentException($"JSON goes to a parameter of type json or jsonb, not {parameterType}.", nameof(parameterType));
        return new JsonParameter<T>(typeInfo)
        {
            ParameterName = parameterName,
            PgDbType = parameterType,
            Value = value is null ? DBNull.Value : value,
        };
    }

    internal virtual void Bind(int ordinal, SessionTypes types)
    {
        if (_value is null && Direction == ParameterDirection.Input)
            throw ParameterErrors.NotSet(this, ordinal);
        if (!_binding.Fits(_value, types))
            _binding.Bind(this, ordinal, ValueOrNull, types);
    }

    /// <summary>Takes the value of a column, of the row that the reader stands on, as an output parameter.</summary>
    internal virtual void Take(PgDataReader reader, int ordinal) => Value = reader.GetValue(ordinal);

    internal virtual bool TryBindType(SessionTypes types) => _binding.TryBindType(this, ValueOrNull, types);

    /// <summary>Whatever becomes of the value from here on, it is sent as it is now.</summary>
    internal virtual void KeepValue() => _value = ValueCopy.Of(_value);

    internal virtual void Write(MessageWriter writer, int ordinal) => _binding.Write(this, ordinal, ValueOrNull, writer);

    private protected virtual TypeEntry? InferType() => ParameterBinding.Infer(ValueOrNull);

    // The value says nothing about a type that the database has to be asked for, and DbType.Object says that none is known.
    private TypeEntry? KnownType => _declared ?? (TypeName is null && !_hasDbType ? InferType() : null);

    private PgDbType? KnownPgDbType => KnownType?.PgDbType ?? (TypeName is { } name ? DbTypes.OfExtension(name) : null);

    private ParameterDetails Details => _details ??= new ParameterDetails();

    private string? TypeName => _details?.TypeName;

    private PgDbType? GivenPgDbType => _hasPgDbType ? _pgDbType : null;

    private DbType? GivenDbType => _hasDbType ? (DbType)_dbType : null;

    private object? ValueOrNull => _value is DBNull ? null : _value;

    private void Declare()
    {
        var name = _details?.DataTypeName;
        _declared = name is not null ? TypeCatalog.BuiltIn.Find(name)
            : GivenPgDbType is { } type ? TypeCatalog.BuiltIn.Find(type)
            : GivenDbType is { } dbType ? TypeCatalog.BuiltIn.Find(dbType)
            : null;
        var typeName = name ?? (GivenPgDbType is { } extension && _declared is null ? DbTypes.ExtensionName(extension) : null);
        if (typeName is not null || _details is not null)
            (Details.TypeName, Details.DerivedType) = (typeName, null);
        ForgetType();
    }

    private void ForgetType() => _binding = default;
}
