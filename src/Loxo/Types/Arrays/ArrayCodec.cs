namespace Loxo.Types;

/// <summary>A one-dimensional array as T[], whatever its first index; as an object, one of more dimensions is T[,] and so on.</summary>
/// <param name="element">The codec of an element that is not NULL.</param>
/// <param name="type">The element's type.</param>
/// <param name="wider">Reads, as an object, an array with an element that has no form in T.</param>
internal sealed class ArrayCodec<T>(Codec<T> element, TypeEntry type, Codec? wider = null) : Codec<T[]>
{
    private readonly ArrayFormat<T> _format = new(element, type);

    internal override Type UntypedType => wider is null ? ValueType : typeof(Array);

    public override T[] Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, T[] value) => _format.Write(writer, value);

    internal override Codec? As(Type clrType)
    {
        if (clrType == typeof(Array))
            return new AnyArrayCodec<T>(element, type);
        if (CollectionTypes.ElementOf(clrType) is not { } asked)
            return null;
        if (asked != typeof(T))
            return ArrayOf(asked, clrType);
        return clrType.IsArray ? Matrix(clrType)
            : clrType == typeof(List<T>) ? new ListCodec<T>(_format)
            : clrType.IsValueType ? Segment(clrType)
            : Sequence(clrType);
    }

    internal override Codec? AsTypeOf(object value) => value switch
    {
        // To the runtime a uint[] is an int[] too, and a string a sequence of characters; nobody means it so.
        Array array when array.GetType().GetElementType() == typeof(T) => new AnyArrayCodec<T>(element, type),
        Array or string => null,
        IList<T> => Sequence(typeof(IList<T>)),
        IEnumerable<T> => Sequence(typeof(IEnumerable<T>)),
        _ => null,
    };

    private protected override object ReadUntyped(ReadOnlySpan<byte> value)
    {
        try
        {
            return _format.Open(value) is { Rank: > 1 } header ? Matrices.Read(header, _format, keepsBounds: false) : Read(value);
        }
        catch (InvalidCastException) when (wider is not null)
        {
            return wider.ReadObject(value);
        }
    }

    // Of what the element's codec brings on demand: a range with nullable bounds. The codec of a value type brings its nullable form.
    private Codec? ArrayOf(Type asked, Type clrType) =>
        element.As(System.Nullable.GetUnderlyingType(asked) ?? asked)?.ArraysOf(new ArrayCodecs(type))
            .Select(array => array.ValueType == clrType ? array : array.As(clrType)).FirstOrDefault(array => array is not null);

    private Codec? Matrix(Type clrType) =>
        clrType == typeof(T[,]) ? new MatrixCodec<T[,], T>(_format, 2)
        : clrType == typeof(T[,,]) ? new MatrixCodec<T[,,], T>(_format, 3)
        : clrType == typeof(T[,,,]) ? new MatrixCodec<T[,,,], T>(_format, 4)
        : clrType == typeof(T[,,,,]) ? new MatrixCodec<T[,,,,], T>(_format, 5)
        : clrType == typeof(T[,,,,,]) ? new MatrixCodec<T[,,,,,], T>(_format, 6)
        : null;

    private Codec? Segment(Type clrType) =>
        clrType == typeof(ReadOnlyMemory<T>) ? new ReadOnlyMemoryCodec<T>(_format)
        : clrType == typeof(Memory<T>) ? new MemoryCodec<T>(_format)
        : clrType == typeof(ArraySegment<T>) ? new SegmentCodec<T>(_format)
        : null;

    private Codec? Sequence(Type clrType) =>
        clrType == typeof(IList<T>) ? new SequenceCodec<IList<T>, T>(_format)
        : clrType == typeof(IReadOnlyList<T>) ? new SequenceCodec<IReadOnlyList<T>, T>(_format)
        : clrType == typeof(ICollection<T>) ? new SequenceCodec<ICollection<T>, T>(_format)
        : clrType == typeof(IReadOnlyCollection<T>) ? new SequenceCodec<IReadOnlyCollection<T>, T>(_format)
        : clrType == typeof(IEnumerable<T>) ? new SequenceCodec<IEnumerable<T>, T>(_format)
        : null;
}

internal sealed class ArrayCodecs(TypeEntry type, ArrayNullabilityMode nullability = ArrayNullabilityMode.Never) : IArrayCodecs
{
    public IEnumerable<Codec> Of<T>(Codec<T> element, Codec? wider) => [new ArrayCodec<T>(element, type, wider)];

    public IEnumerable<Codec> Of<T>(Codec<T> element, Codec<T?> nullable)
        where T : struct
    {
        var array = new ArrayCodec<T>(element, type);
        var arrayOfNullable = new ArrayCodec<T?>(nullable, type);
        return nullability switch
        {
            ArrayNullabilityMode.Always => [arrayOfNullable, array],
            ArrayNullabilityMode.PerInstance =>
                [new AnyArrayCodec<T>(element, type, new AnyArrayCodec<T?>(nullable, type)), array, arrayOfNullable],
            _ => [array, arrayOfNullable],
        };
    }
}

/// <summary>Makes codecs for arrays and lists of the .NET types that another factory makes codecs for.</summary>
internal sealed class ArrayCodecFactory(ICodecFactory elements) : ICodecFactory
{
    public Codec<T>? Create<T>(TypeEntry type) => Create(typeof(T), type) as Codec<T>;

    public Codec? Create(Type clrType, TypeEntry type)
    {
        if (CollectionTypes.ElementOf(clrType) is not { } element || type.Element is not { } elementType)
            return null;
        // The codec of a value type brings the arrays of its nullable form.
        var codec = elements.Create(Nullable.GetUnderlyingType(element) ?? element, elementType);
        return codec?.ArraysOf(new ArrayCodecs(elementType))
            .Select(array => array.ValueType == clrType ? array : array.As(clrType)).FirstOrDefault(array => array is not null);
    }
}

/// <summary>oidvector and int2vector: arrays of the catalogue whose first index is 0.</summary>
internal sealed class VectorCodec<T>(Codec<T> element, TypeEntry type) : ReferenceCodec<T[]>
    where T : struct
{
    private readonly ArrayFormat<T> _format = new(element, type, lowerBound: 0);

    public override T[] Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, T[] value)
    {
        // The server makes an array without dimension of an empty one, and then misses the dimension (array_recv, oidvectorrecv).
        if (value.Length == 0)
        {
            throw TypeErrors.NoForm($"An empty {ClrNames.Of(typeof(T[]))}",
                $"a vector of {type.DisplayName}, which the server takes as text only", "Write '' in the SQL text");
        }
        _format.Write(writer, value);
    }
}
