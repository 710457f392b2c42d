using System.Collections;

namespace Loxo.Diagnostics;

/// <summary>The scope of a command's log messages.</summary>
/// <param name="connectionId">The server process.</param>
/// <param name="commandId">The number of the command, in the process.</param>
internal sealed class LogScope(int connectionId, long commandId) : IReadOnlyList<KeyValuePair<string, object>>
{
    public int Count => 2;

    public KeyValuePair<string, object> this[int index] => index switch
    {
        0 => new("ConnectionId", connectionId),
        1 => new("CommandId", commandId),
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    public IEnumerator<KeyValuePair<string, object>> GetEnumerator()
    {
        yield return this[0];
        yield return this[1];
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"ConnectionId:{connectionId}, CommandId:{commandId}");
}
