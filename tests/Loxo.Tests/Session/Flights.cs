using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>
/// What a client sends up to each Sync, in short: P Parse, B Bind, D Describe, E Execute, C Close, S Sync. The letter behind them is the
/// statement's name, a for the first that appeared, b for the second; none is the unnamed one, and Describe has one only for a statement. A
/// simple query is its text in quotes.
/// </summary>
internal sealed class Flights(ScriptedPeer peer)
{
    private readonly List<string> _names = [];

    /// <summary>The real name of a, b and so on.</summary>
    public string Name(int index) => _names[index];

    /// <summary>The formats of the columns that the last flight's last Bind asked for.</summary>
    public short[] Formats { get; private set; } = [];

    /// <summary>The next flight has to be that, and is answered.</summary>
    public void Expect(string flight, Answer answer)
    {
        Assert.That(Next(), Is.EqualTo(flight));
        peer.Write(answer.Bytes);
    }

    private string Next()
    {
        var flight = new List<string>();
        do
        {
            flight.Add(Shorten(peer.Expect<ClientMessage>()));
        }
        while (flight[^1] is not ['S'] and not ['\'', ..]);
        return string.Join(' ', flight);
    }

    private string Shorten(ClientMessage message)
    {
        switch (message)
        {
            case Parse parse:
                return "P" + Letter(parse.Statement);
            case Bind bind:
                Formats = bind.ResultFormats;
                return "B" + Letter(bind.Statement);
            case Describe describe:
                return "D" + Letter(describe.Name);
            case Close close:
                return "C" + Letter(close.Name);
            case Query query:
                return $"'{query.Sql}'";
            default:
                return message.GetType().Name[..1];
        }
    }

    private string Letter(string name)
    {
        if (name.Length == 0)
            return "";
        if (!_names.Contains(name))
            _names.Add(name);
        return ((char)('a' + _names.IndexOf(name))).ToString();
    }
}
