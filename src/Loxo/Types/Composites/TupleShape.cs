using System.Reflection;

namespace Loxo.Types;

/// <summary>A tuple's elements, and how it is made. Those beyond seven are in a tuple in the eighth; here all are one row.</summary>
internal sealed class TupleShape
{
    private const int Nesting = 8;

    private readonly Type _type;
    private readonly Type[] _own;
    private readonly ConstructorInfo _constructor;
    private readonly TupleShape? _rest;

    private TupleShape(Type type, ConstructorInfo constructor)
    {
        _type = type;
        _own = type.GetGenericArguments();
        _constructor = constructor;
        if (_own.Length == Nesting)
        {
            _rest = Of(_own[^1]);
            _own = _rest is null ? _own : _own[..^1];
        }
    }

    private int Count => _own.Length + (_rest?.Count ?? 0);

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "The constructors are kept by the dependencies below.")]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,,,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(ValueTuple<,,,,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,,,,,,>))]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicConstructors, typeof(Tuple<,,,,,,,>))]
    public static TupleShape? Of(Type type) =>
        typeof(ITuple).IsAssignableFrom(type) && type.Assembly == typeof(Tuple).Assembly && type.GetConstructors() is [var constructor]
            ? new TupleShape(type, constructor)
            : null;

    /// <exception cref="InvalidCastException">The record has another number of fields, or a field has no form in the tuple.</exception>
    public object Read(ReadOnlySpan<byte> value, Func<uint, TypeEntry?> types, string name)
    {
        var reader = RecordCodec.Open(value, name);
        if (reader.Count != Count)
        {
            throw TypeErrors.NoForm(string.Create(CultureInfo.InvariantCulture, $"A {name} of {reader.Count} fields"),
                string.Create(CultureInfo.InvariantCulture, $"{ClrNames.Of(_type)}, which has {Count}"),
                "Read it as object[] or as a tuple of as many elements");
        }
        var index = 0;
        var tuple = Read(ref reader, types, ref index);
        reader.TryReadNext(out _); // checks that nothing is left
        return tuple;
    }

    private object Read(ref RecordReader reader, Func<uint, TypeEntry?> types, ref int index)
    {
        var elements = new object?[_own.Length + (_rest is null ? 0 : 1)];
        for (var i = 0; i < _own.Length; i++, index++)
        {
            reader.TryReadNext(out var field);
            elements[i] = Read(field, _own[i], types, index);
        }
        if (_rest is not null)
            elements[^1] = _rest.Read(ref reader, types, ref index);
        return _constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, elements, CultureInfo.InvariantCulture);
    }

    private static object? Read(RecordField field, Type element, Func<uint, TypeEntry?> types, int index)
    {
        if (field.IsNull)
        {
            return !element.IsValueType || Nullable.GetUnderlyingType(element) is not null ? null : throw TypeErrors.NoForm(
                string.Create(CultureInfo.InvariantCulture, $"Field {index} of the record, which is NULL,"), ClrNames.Of(element),
                $"Read it as {ClrNames.Of(element)}?");
        }
        var type = RecordCodec.TypeOf(types, field.TypeOid, index);
        if (element == typeof(object))
            return RecordCodec.DefaultOf(type).ReadObject(field.Value);
        if (type.AnyCodecFor(element) is { } codec)
            return codec.ReadObject(field.Value);
        return type.Factory is TupleCodecFactory && Of(Nullable.GetUnderlyingType(element) ?? element) is { } nested
            ? nested.Read(field.Value, types, type.DisplayName)
            : throw ConversionErrors.NotReadable(type, element);
    }
}
