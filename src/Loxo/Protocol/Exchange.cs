using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>A request and all its answers as a state machine that never waits, and stops in front of a DataRow.</summary>
internal abstract class Exchange
{
    /// <summary>It ended while another exchange was pumped; its caller learns of that from <see cref="Replay"/>.</summary>
    public bool IsOver { get; set; }

    /// <summary>Whether its group has failed and the Sync that ends the group belongs to a later exchange.</summary>
    public virtual bool HasFailedGroup => false;

    /// <summary>Whether it has collected as many rows as it may: its caller has to read some before more messages are taken.</summary>
    public virtual bool IsFull => false;

    /// <summary>Whether its caller goes on as soon as the output has been sent, as one does that writes much and awaits little.</summary>
    public virtual bool StopsWhenSent => false;

    /// <summary>Whether its caller goes on although nothing more has arrived: it looks after others' exchanges.</summary>
    public virtual bool StopsWhenIdle => false;

    /// <summary>Whether it is written once more, although all that was due has arrived. Called under the gate of the wire.</summary>
    public virtual bool TryGoOn() => false;

    /// <summary>It has come to its end, whoever has advanced it. Called under the gate of the wire.</summary>
    public virtual void Ended()
    {
    }

    /// <summary>Consumes messages until the exchange stops or needs more.</summary>
    public abstract Progress Advance(MessageReader messages);

    /// <summary>The next stop that was reached while another exchange was pumped; <see cref="Progress.NeedMore"/> for none.</summary>
    public virtual Progress Replay() => IsOver ? Progress.Done : Progress.NeedMore;

    /// <summary>
    /// An earlier exchange of its group has failed, so the server skips this one (manual, "Pipelining"). Returns whether the Sync that ends
    /// the group belongs to it: then ReadyForQuery is still due.
    /// </summary>
    /// <param name="failed">The exchange that has failed.</param>
    public virtual bool SkipAfter(Exchange failed) => throw new InvalidOperationException("This exchange ends no group.");

    /// <summary>The connection was lost before its end, and perhaps after some of it was sent.</summary>
    public virtual void Lost(bool mayHaveRun)
    {
    }

    /// <summary>The error to report when the stream ends here: the FATAL one that the server sent before, or null.</summary>
    public virtual PgException? OnEndOfStream() => null;

    /// <summary>The lengths of the streams in its flight are known now, or one could not be read: then nothing has been sent.</summary>
    public virtual void OnMeasured(Exception? error) => throw new InvalidOperationException("This exchange sends no streams.");
}

/// <summary>An exchange that looks at each message by itself, and checks the replies where no expected ones are given.</summary>
internal abstract class MessageExchange(IUnsolicitedMessages unsolicited, ExpectedReplies? expected = null) : Exchange
{
    public override Progress Advance(MessageReader messages)
    {
        while (messages.TryPeek(out var message))
        {
            var progress = IsUnsolicited(message.Type) ? AcceptUnsolicited(message) : AcceptExpected(message, messages);
            if (progress == Progress.Row)
                return progress;
            messages.Consume(message);
            if (progress != Progress.NeedMore)
                return progress;
        }
        return Progress.NeedMore;
    }

    protected ExpectedReplies Expected => expected ?? throw new InvalidOperationException("This exchange checks replies itself.");

    /// <summary>Takes one message. <see cref="Progress.Row"/> leaves it unconsumed.</summary>
    protected abstract Progress On(BackendMessage message);

    private Progress AcceptExpected(BackendMessage message, MessageReader messages)
    {
        expected?.Accept(message, messages);
        return On(message);
    }

    /// <summary>Whether messages of that type may come between any two others (manual, "Asynchronous Operations").</summary>
    protected static bool IsUnsolicited(BackendMessageType type) =>
        type is BackendMessageType.NoticeResponse or BackendMessageType.NotificationResponse or BackendMessageType.ParameterStatus;

    /// <summary>Takes a message that may come between any two others.</summary>
    protected virtual Progress AcceptUnsolicited(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.NoticeResponse:
                unsolicited.Notice(new ErrorOrNotice(message.Body).ToFields());
                break;
            case BackendMessageType.NotificationResponse:
                unsolicited.Notification(new NotificationResponse(message.Body));
                break;
            default:
                unsolicited.ParameterStatus(new ParameterStatus(message.Body));
                break;
        }
        return Progress.NeedMore;
    }
}
