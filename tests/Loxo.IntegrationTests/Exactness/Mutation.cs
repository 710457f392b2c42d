using System.Buffers.Binary;
using System.Text;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>One change of what a server says.</summary>
/// <param name="Kind">What is done.</param>
/// <param name="At">To which message.</param>
/// <param name="Sample">The type of the message that comes instead or in front; else <c>'\0'</c>.</param>
internal sealed record Mutation(Mutation.Change Kind, int At, char Sample = '\0')
{
    public enum Change
    {
        Drop,
        Double,
        SwapWithNext,
        Replace,
        Precede,
    }

    /// <summary>What an inserted row says and no statement returns.</summary>
    public const int Poison = 666_666;

    private static readonly Dictionary<char, byte[]> _samples = new()
    {
        ['1'] = [],
        ['2'] = [],
        ['3'] = [],
        ['n'] = [],
        ['I'] = [],
        ['s'] = [],
        ['c'] = [],
        ['C'] = Text("SELECT 1"),
        ['D'] = [0, 1, .. Int32(4), .. Int32(Poison)],
        ['E'] = [.. Field('S', "ERROR"), .. Field('V', "ERROR"), .. Field('C', "XX111"), .. Field('M', "inserted"), 0],
        ['N'] = [.. Field('S', "NOTICE"), .. Field('V', "NOTICE"), .. Field('C', "00000"), .. Field('M', "inserted"), 0],
        ['Z'] = [(byte)'I'],
        ['T'] = [0, 1, .. Text("poison"), .. Int32(0), 0, 0, .. Int32(23), 0, 4, .. Int32(-1), 0, 1],
        ['t'] = [0, 1, .. Int32(23)],
        ['A'] = [.. Int32(1), .. Text("channel"), .. Text("payload")],
        ['S'] = [.. Text("application_name"), .. Text("inserted")],
        ['G'] = [0, 0, 1, 0, 0],
        ['H'] = [0, 0, 1, 0, 0],
        ['W'] = [0, 0, 1, 0, 0],
        ['d'] = Encoding.UTF8.GetBytes("666666\n"),
        ['K'] = [.. Int32(1), .. Int32(2)],
        ['R'] = Int32(0),
        ['v'] = [.. Int32(0), .. Int32(0)],
    };

    /// <summary>Every change of the messages from <paramref name="first"/> on, up to <paramref name="end"/>, which is left alone.</summary>
    public static IEnumerable<Mutation> All(IReadOnlyList<ServerMessage> messages, int first, int end)
    {
        for (var at = first; at < end; at++)
        {
            yield return new Mutation(Change.Drop, at);
            yield return new Mutation(Change.Double, at);
            if (at + 1 < end)
                yield return new Mutation(Change.SwapWithNext, at);
            foreach (var sample in _samples.Keys.Where(type => type != messages[at].Type))
            {
                yield return new Mutation(Change.Replace, at, sample);
                yield return new Mutation(Change.Precede, at, sample);
            }
        }
    }

    /// <summary>What the server says then.</summary>
    public List<ServerMessage> Apply(IReadOnlyList<ServerMessage> messages)
    {
        var changed = messages.ToList();
        switch (Kind)
        {
            case Change.Drop:
                changed.RemoveAt(At);
                break;
            case Change.Double:
                changed.Insert(At, changed[At]);
                break;
            case Change.SwapWithNext:
                // Each comes when the other did.
                (changed[At], changed[At + 1]) = (changed[At + 1] with { After = changed[At].After }, changed[At] with { After = changed[At + 1].After });
                break;
            case Change.Replace:
                changed[At] = ServerMessage.Of(Sample, _samples[Sample], changed[At].After);
                break;
            default:
                changed.Insert(At, ServerMessage.Of(Sample, _samples[Sample], changed[At].After));
                break;
        }
        return changed;
    }

    private static byte[] Int32(int value)
    {
        var bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return bytes;
    }

    private static byte[] Text(string text) => [.. Encoding.UTF8.GetBytes(text), 0];

    private static byte[] Field(char code, string text) => [(byte)code, .. Text(text)];
}
