using System.Collections;

namespace Loxo;

// The generic dictionary shows the keywords that are set, as Keys and Count do.
public sealed partial class PgConnectionStringBuilder : IDictionary<string, object?>
{
    ICollection<string> IDictionary<string, object?>.Keys => [.. Keys.Cast<string>()];

    ICollection<object?> IDictionary<string, object?>.Values => [.. Pairs().Select(pair => pair.Value)];

    void ICollection<KeyValuePair<string, object?>>.Add(KeyValuePair<string, object?> item) => this[item.Key] = item.Value;

    void IDictionary<string, object?>.Add(string key, object? value) => this[key] = value;

    bool ICollection<KeyValuePair<string, object?>>.Contains(KeyValuePair<string, object?> item) =>
        ShouldSerialize(item.Key) && Equals(this[item.Key], item.Value);

    bool ICollection<KeyValuePair<string, object?>>.Remove(KeyValuePair<string, object?> item) =>
        ((ICollection<KeyValuePair<string, object?>>)this).Contains(item) && Remove(item.Key);

    void ICollection<KeyValuePair<string, object?>>.CopyTo(KeyValuePair<string, object?>[] array, int arrayIndex) =>
        Pairs().ToList().CopyTo(array, arrayIndex);

    IEnumerator<KeyValuePair<string, object?>> IEnumerable<KeyValuePair<string, object?>>.GetEnumerator() => Pairs().GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => Pairs().GetEnumerator();

    private IEnumerable<KeyValuePair<string, object?>> Pairs() =>
        Keys.Cast<string>().Select(name => new KeyValuePair<string, object?>(name, this[name]));
}
