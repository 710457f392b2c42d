using System.Globalization;
using System.Text;
using Loxo.Types;

namespace Loxo.IntegrationTests.Types;

/// <summary>A type whose text is compared with the server's.</summary>
/// <param name="type">The PostgreSQL type.</param>
/// <param name="make">Makes texts of it.</param>
/// <param name="alphabet">Characters that occur in them.</param>
internal abstract class TextSubject(string type, Func<Random, string> make, string alphabet)
{
    public string Type { get; } = type;

    /// <summary>Whether the documentation says that a text is not read although the server may read it.</summary>
    public Func<string, bool> IsRefusedByRule { get; init; } = static _ => false;

    /// <summary>Whether the documentation says that a text is read although the server refuses it.</summary>
    public Func<string, bool> IsReadByRule { get; init; } = static _ => false;

    /// <summary>Whether its .NET type does not hold all values, so that nothing is compared where a text is refused by rule.</summary>
    public bool IsLimited { get; init; }

    /// <summary>Whether the type is in the database of the tests, and not in the shared one.</summary>
    public bool IsInOwnDatabase { get; init; }

    public TextMutator Texts(int seed) => new(make, alphabet, seed);

    /// <summary>Whether it is read here, and what is sent for it.</summary>
    public abstract bool TryParse(string text, out object value);

    /// <summary>The text that is shown here for a value.</summary>
    public abstract string Show(object value);

    public abstract object Read(PgDataReader reader, int ordinal);

    /// <summary>An array of values.</summary>
    public abstract PgParameter Parameter(IEnumerable<object> values);

    public override string ToString() => Type;
}

/// <summary>A public type with Parse and ToString.</summary>
internal sealed class ParsableSubject<T>(string type, Func<Random, string> make, string alphabet) : TextSubject(type, make, alphabet)
    where T : ISpanParsable<T>
{
    public override bool TryParse(string text, out object value)
    {
        var isRead = T.TryParse(text, CultureInfo.InvariantCulture, out var parsed);
        value = parsed!;
        return isRead;
    }

    public override string Show(object value) => value.ToString()!;

    public override object Read(PgDataReader reader, int ordinal) => reader.GetFieldValue<T>(ordinal)!;

    public override PgParameter Parameter(IEnumerable<object> values) => new PgParameter<T[]>([.. values.Cast<T>()]) { DataTypeName = Type + "[]" };

    public override string ToString() => $"{Type} as {ClrNames.Of(typeof(T))}";
}

/// <summary>A type whose text is read and shown by a form that is not public: behind strings, and in results in text format.</summary>
internal sealed class FormSubject<T>(string type, TextFormat form, Codec<T> codec, Func<Random, string> make, string alphabet) : TextSubject(type, make, alphabet)
{
    public override bool TryParse(string text, out object value)
    {
        value = null!;
        var binary = new MessageWriter(64);
        try
        {
            form.WriteBinary(binary, Encoding.UTF8.GetBytes(text));
            value = codec.Read(binary.Pending)!;
            return true;
        }
        catch (PgException)
        {
            return false;
        }
    }

    public override string Show(object value)
    {
        var binary = new MessageWriter(64);
        codec.Write(binary, (T)value);
        return form.ToText(binary.Pending);
    }

    public override object Read(PgDataReader reader, int ordinal) => reader.GetFieldValue<T>(ordinal)!;

    public override PgParameter Parameter(IEnumerable<object> values) => new PgParameter<T[]>([.. values.Cast<T>()]) { DataTypeName = Type + "[]" };
}
