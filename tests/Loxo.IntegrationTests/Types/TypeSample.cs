namespace Loxo.IntegrationTests.Types;

/// <summary>One line of the corpus: a value in .NET and the same value in SQL.</summary>
/// <param name="type">The PostgreSQL type as SQL writes it.</param>
/// <param name="literal">The value as the server's input function takes it.</param>
public abstract class TypeSample(string type, string literal)
{
    public string Type { get; } = type;

    public string Literal { get; } = literal;

    /// <summary>The value as an SQL expression.</summary>
    public string Sql => $"'{Literal.Replace("'", "''")}'::{Type}";

    public abstract Type ClrType { get; }

    public abstract object Value { get; }

    /// <summary>The value, NULL and the value again: what an array of this type is tried with.</summary>
    public abstract object ArrayWithNull { get; }

    public abstract object? Read(PgDataReader reader, int ordinal);

    /// <summary>Reads as the form of the type that can be null.</summary>
    public abstract object? ReadNullable(PgDataReader reader, int ordinal);

    public abstract object ReadArrayWithNull(PgDataReader reader, int ordinal);

    public abstract object ReadListWithNull(PgDataReader reader, int ordinal);

    /// <summary>Shows the value with its static type.</summary>
    public abstract Task<object?> Accept(ISampleVisitor visitor);

    public abstract PgParameter Parameter();

    public abstract PgParameter NullParameter();

    public abstract PgParameter ArrayParameter();

    public override string ToString() => $"{Sql} as {ClrType}";
}

public sealed class ValueSample<T>(string type, string literal, T value) : TypeSample(type, literal)
    where T : struct
{
    public override Type ClrType => typeof(T);

    public override object Value => value;

    public override object ArrayWithNull => new T?[] { value, null, value };

    public override object? Read(PgDataReader reader, int ordinal) => reader.GetFieldValue<T>(ordinal);

    public override object? ReadNullable(PgDataReader reader, int ordinal) => reader.GetFieldValue<T?>(ordinal);

    public override object ReadArrayWithNull(PgDataReader reader, int ordinal) => reader.GetFieldValue<T?[]>(ordinal);

    public override object ReadListWithNull(PgDataReader reader, int ordinal) => reader.GetFieldValue<List<T?>>(ordinal);

    public override Task<object?> Accept(ISampleVisitor visitor) => visitor.Visit(value);

    public override PgParameter Parameter() => new PgParameter<T>(value) { DataTypeName = Type };

    public override PgParameter NullParameter() => new PgParameter<T?>(null) { DataTypeName = Type };

    public override PgParameter ArrayParameter() => new PgParameter<T?[]>([value, null, value]) { DataTypeName = Type + "[]" };
}

public sealed class ReferenceSample<T>(string type, string literal, T value) : TypeSample(type, literal)
    where T : class
{
    public override Type ClrType => typeof(T);

    public override object Value => value;

    public override object ArrayWithNull => new[] { value, null, value };

    public override object? Read(PgDataReader reader, int ordinal) => reader.GetFieldValue<T>(ordinal);

    // A reference type has no form of its own for NULL; object has.
    public override object? ReadNullable(PgDataReader reader, int ordinal) => reader.IsDBNull(ordinal) ? null : reader.GetFieldValue<T>(ordinal);

    public override object ReadArrayWithNull(PgDataReader reader, int ordinal) => reader.GetFieldValue<T?[]>(ordinal);

    public override object ReadListWithNull(PgDataReader reader, int ordinal) => reader.GetFieldValue<List<T?>>(ordinal);

    public override Task<object?> Accept(ISampleVisitor visitor) => visitor.Visit(value);

    public override PgParameter Parameter() => new PgParameter<T>(value) { DataTypeName = Type };

    public override PgParameter NullParameter() => new PgParameter<T>(null) { DataTypeName = Type };

    public override PgParameter ArrayParameter() => new PgParameter<T?[]>([value, null, value]) { DataTypeName = Type + "[]" };
}

/// <summary>Uses a sample's value by its static type.</summary>
public interface ISampleVisitor
{
    Task<object?> Visit<T>(T value);
}
