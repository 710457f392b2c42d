using System.Buffers.Binary;

namespace Loxo.Tests.Wire;

/// <summary>The server's end of one connection, as a script plays it.</summary>
internal sealed class ScriptedPeer(ScriptedServer server, ScriptedChannel channel)
{
    public static readonly byte[] Key = [1, 2, 3, 4];

    public const int ProcessId = 4711;

    public ScriptedServer Server => server;

    public ScriptedChannel Channel => channel;

    /// <summary>Sends at once: <c>server.Send.ParseComplete().BindComplete()</c>.</summary>
    public Answer Send => new(bytes => channel.Write(bytes));

    /// <summary>The client's next message, which must be of that kind.</summary>
    public T Expect<T>()
        where T : ClientMessage
    {
        var untyped = typeof(T) == typeof(Startup) || typeof(T) == typeof(SslRequest) || typeof(T) == typeof(Cancel);
        var type = untyped ? '\0' : (char)channel.Read(1, typeof(T).Name)[0];
        var length = BinaryPrimitives.ReadInt32BigEndian(channel.Read(4, typeof(T).Name)) - 4;
        var body = channel.Read(length, typeof(T).Name);
        var message = untyped ? ClientMessage.ReadUntyped(body) : ClientMessage.Read(type, body);
        return message as T ?? throw new AssertionException($"The script expected {typeof(T).Name}, but the client sent {message}.");
    }

    /// <summary>The client's next message.</summary>
    public ClientMessage ExpectAny() => Expect<ClientMessage>();

    /// <summary>Lets anybody in.</summary>
    public Startup Login(Func<Answer, Answer>? extra = null)
    {
        var startup = Expect<Startup>();
        Send.AuthenticationOk();
        Welcome(extra);
        return startup;
    }

    /// <summary>What follows AuthenticationOk.</summary>
    public void Welcome(Func<Answer, Answer>? extra = null)
    {
        var answer = new Answer()
            .ParameterStatus("server_version", "18.1")
            .ParameterStatus("standard_conforming_strings", "on")
            .BackendKeyData(ProcessId, Key);
        channel.Write((extra is null ? answer : extra(answer)).ReadyForQuery().Bytes);
    }

    /// <summary>A statement that is not prepared, without its Sync; returns its SQL.</summary>
    public string ExpectStatement()
    {
        var sql = Expect<Parse>().Sql;
        Expect<Bind>();
        Expect<Describe>();
        Expect<Execute>();
        return sql;
    }

    /// <summary>The text that makes the server undo a group, without its Sync.</summary>
    public void ExpectUndoing()
    {
        Assert.That(Expect<Parse>().Sql, Does.StartWith("loxo: "));
        Expect<Describe>();
    }

    /// <summary>A command of one statement that is not prepared.</summary>
    public string ExpectCommand()
    {
        var sql = ExpectStatement();
        Expect<Sync>();
        return sql;
    }

    /// <summary>The BEGIN that goes in front of the first command of a transaction.</summary>
    public void ExpectBegin()
    {
        Assert.That(Expect<Parse>().Sql, Does.StartWith("BEGIN"));
        Expect<Bind>();
        Expect<Execute>();
    }

    /// <summary>Answers one more command, to see that the connection can be used.</summary>
    public void AnswerCommand(int value = 42)
    {
        ExpectCommand();
        channel.Write(Answer.Select(value).Bytes);
    }

    public void Write(ReadOnlySpan<byte> bytes) => channel.Write(bytes);

    /// <summary>Closes in good order.</summary>
    public void End() => channel.End();

    /// <summary>Breaks the connection.</summary>
    public void Reset() => channel.Reset();

    /// <summary>Waits until the client waits, and moves the clock while it does.</summary>
    public void LetTimePass(double seconds)
    {
        channel.AwaitClientWaiting();
        server.Time.Advance(TimeSpan.FromSeconds(seconds));
    }

    /// <summary>Moves the clock little by little until the client gives the connection up: for limits whose timer may not be set yet.</summary>
    public void LetTimePassUntilShutdown() => LetTimePassUntil(() => channel.IsShutDown);

    /// <summary>Moves the clock little by little until something has happened.</summary>
    public void LetTimePassUntil(Func<bool> hasHappened)
    {
        while (!hasHappened())
        {
            server.ThrowIfAborted();
            server.Time.Advance(TimeSpan.FromMilliseconds(100));
            Thread.Yield();
        }
    }

    /// <summary>The cancel request that must come now, on a connection of its own; that connection is closed by whoever called.</summary>
    public ScriptedPeer ExpectCancel()
    {
        var peer = server.Accept();
        var cancel = peer.Expect<Cancel>();
        Assert.That((cancel.ProcessId, Convert.ToHexString(cancel.Key)), Is.EqualTo((ProcessId, Convert.ToHexString(Key))));
        return peer;
    }
}
