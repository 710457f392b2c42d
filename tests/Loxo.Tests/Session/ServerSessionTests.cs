using System.Runtime.CompilerServices;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>The states of a session and its owner. No channel is touched.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class ServerSessionTests(WaitMode mode)
{
    private readonly Listener _owner = new();
    private ServerSession _session = null!;

    private IUnsolicitedMessages Server => _session.Owner;

    [SetUp]
    public void HandOverNewSession()
    {
        _session = NoChannel.Session();
        _session.Opened();
        _session.Owner.HandOver(_owner);
        _owner.Heard.Clear();
    }

    [TearDown]
    public void Dispose()
    {
        // An idle session says Terminate, for which there is no channel.
        _session.Failed(SessionErrors.Closed());
        _session.Dispose();
    }

    [Test]
    public async Task A_session_that_is_being_opened_takes_no_command()
    {
        using var opening = NoChannel.Session();
        Assert.That(opening.State, Is.EqualTo(SessionState.Opening));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Begin(opening, owner: null));
        opening.Opened();
        Assert.That(opening.State, Is.EqualTo(SessionState.Idle));
        opening.Failed(SessionErrors.Closed());
    }

    [Test]
    public async Task A_command_that_has_begun_keeps_others_away_until_its_end()
    {
        await Begin();
        Assert.That((_session.State, _session.CommandNumber, _session.IsRunning(1)), Is.EqualTo((SessionState.Busy, 1L, true)));
        await Assert.ThrowsAsync<PgOperationInProgressException>(() => Begin());
        Assert.That(_session.CommandNumber, Is.EqualTo(1));
        _session.End();
        Assert.That((_session.State, _session.IsRunning(1)), Is.EqualTo((SessionState.Idle, false)));
        await Begin();
        Assert.That(_session.CommandNumber, Is.EqualTo(2));
    }

    [Test]
    public async Task A_command_that_cannot_be_written_leaves_no_bytes_and_the_session_free()
    {
        await Begin(_session, _owner, session => session.Output.WriteSync());
        _session.End();
        var (position, length) = (_session.Output.Position, _session.Output.Pending.Length);
        await Assert.ThrowsAsync<FormatException>(() => Begin(_session, _owner, session =>
        {
            session.Output.WriteSync();
            throw new FormatException();
        }));
        Assert.That((_session.State, _session.Output.Position), Is.EqualTo((SessionState.Idle, position)));
        Assert.That(_session.Output.Pending.Length, Is.EqualTo(length), "what was there before stays");
    }

    [Test]
    public async Task Only_the_owner_begins_a_command([Values] bool isPool)
    {
        var error = (await Assert.ThrowsAsync<PgException>(() => Begin(_session, isPool ? null : new Listener())))!;
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That((_session.State, _session.CommandNumber), Is.EqualTo((SessionState.Idle, 0L)));
    }

    [Test]
    public async Task A_session_that_was_taken_back_is_the_pools_and_has_another_number()
    {
        Assert.That(_session.Owner.TakeBack(), Is.True);
        await Assert.ThrowsAsync<PgException>(() => Begin());
        Assert.That(_session.CommandNumber, Is.EqualTo(1));
        await Begin(_session, owner: null);
        Assert.That(_session.CommandNumber, Is.EqualTo(2));
    }

    [Test]
    public async Task A_session_whose_command_runs_or_that_is_broken_is_not_taken_back([Values] bool isBroken)
    {
        if (isBroken)
            _session.Failed(SessionErrors.Closed());
        else
            await Begin();
        Assert.That(_session.Owner.TakeBack(), Is.False);
    }

    [Test]
    public async Task The_BEGIN_that_is_due_is_exchanged_between_two_commands_only()
    {
        Assert.That(_session.ExchangeBegin(_owner, "BEGIN"), Is.Null);
        Assert.That(_session.ExchangeBegin(_owner, null), Is.EqualTo("BEGIN"));
        Assert.That((_session.State, _session.PendingBegin), Is.EqualTo((SessionState.Idle, (string?)null)));
        Assert.Throws<PgException>(() => _session.ExchangeBegin(new Listener(), "BEGIN"));
        await Begin();
        Assert.Throws<PgOperationInProgressException>(() => _session.ExchangeBegin(_owner, "BEGIN"));
        Assert.That((_session.State, _session.PendingBegin), Is.EqualTo((SessionState.Busy, (string?)null)));
    }

    [Test]
    public async Task Only_a_setting_that_a_command_may_have_changed_counts_as_other()
    {
        Server.ParameterStatus(Parameter("TimeZone", "UTC"));
        Assert.That((_session.Parameters.HaveChanged, _session.Effects.Changes), Is.EqualTo((false, SessionChanges.None)), "between two commands");
        await Begin();
        Server.ParameterStatus(Parameter("TimeZone", "Asia/Kathmandu"));
        Assert.That(_session.Parameters.HaveChanged, Is.True);
        Assert.That(_session.Effects.Changes, Is.EqualTo(SessionChanges.State | SessionChanges.Names | SessionChanges.Types));
        Assert.That(_session.Parameters.Values["timezone"], Is.EqualTo("Asia/Kathmandu"));
        _session.Owner.HandOver(_owner);
        Assert.That((_session.Parameters.HaveChanged, _session.Effects.Changes), Is.EqualTo((false, SessionChanges.None)));
    }

    [Test]
    public async Task A_setting_that_a_deferred_reset_changes_back_does_not_count_as_other()
    {
        await Begin(_session, _owner, session => session.Deferred.Write("RESET ALL"));
        Server.ParameterStatus(Parameter("TimeZone", "UTC"));
        Assert.That(_session.Parameters.HaveChanged, Is.False);
        Assert.That(_session.Parameters.Values["TimeZone"], Is.EqualTo("UTC"));
    }

    [Test]
    public void The_server_says_whether_a_backslash_is_an_ordinary_character()
    {
        Assert.That(_session.Parameters.StandardConformingStrings, Is.True);
        Server.ParameterStatus(Parameter("standard_conforming_strings", "off"));
        Assert.That(_session.Parameters.StandardConformingStrings, Is.False);
        Server.ParameterStatus(Parameter("standard_conforming_strings", "on"));
        Assert.That(_session.Parameters.StandardConformingStrings, Is.True);
    }

    [Test]
    public void Notices_and_notifications_go_to_the_owner_of_the_moment()
    {
        SayBoth();
        Assert.That(_owner.Heard, Is.EqualTo(new[] { "mind", "news: extra (7)" }));
        _session.Owner.TakeBack();
        SayBoth();
        Assert.That(_owner.Heard, Has.Count.EqualTo(2));
        var other = new Listener();
        _session.Owner.HandOver(other);
        SayBoth();
        Assert.That((_owner.Heard.Count, other.Heard.Count), Is.EqualTo((2, 2)));
    }

    [Test]
    public async Task What_is_for_a_former_connection_is_not_for_another_one_that_goes_on_with_the_session()
    {
        _session.Owner.TakeBack();
        await Begin(_session, null, static session => session.Deferred.Write("RESET ALL"));
        _session.Owner.HandOver(_owner);
        _session.Owner.TakeBack();
        var other = new Listener();
        _session.Owner.HandOver(other, goesOn: true);
        SayBoth();
        Assert.That(other.Heard, Is.Empty);
        _session.Owner.DeferredEnded();
        SayBoth();
        Assert.That((_owner.Heard.Count, other.Heard.Count), Is.EqualTo((0, 2)));
    }

    [Test]
    public async Task The_first_error_that_broke_the_session_is_the_cause_that_later_commands_tell()
    {
        await Begin(_session, _owner, session => session.Output.WriteSync());
        var cause = new PgException("the wire was cut", PgErrorCode.ConnectionClosed);
        Assert.That(_session.Failed(cause), Is.SameAs(cause));
        _session.Failed(new PgException("later", PgErrorCode.ConnectionClosed));
        Assert.That((_session.State, _session.BreakCause), Is.EqualTo((SessionState.Broken, cause)));
        Assert.That(_session.Output.Pending.Length, Is.Zero);
        _session.End();
        _session.GiveBack(0);
        var error = (await Assert.ThrowsAsync<PgException>(() => Begin()))!;
        Assert.That((error.Code, error.InnerException), Is.EqualTo((PgErrorCode.ConnectionClosed, cause)));
        Assert.That(error.Message, Does.Contain("the wire was cut"));
    }

    [Test]
    public async Task A_command_that_was_stopped_when_the_session_broke_ends_with_the_reason([Values] bool isTimeout)
    {
        await Begin();
        // The server has sent no key, so it cannot be asked to stop and the connection is cut.
        if (isTimeout)
            _session.Cancellation.WaitTimedOut();
        else
            _session.Cancellation.WaitCancelled();
        var error = _session.Failed(new PgException("cut", PgErrorCode.ConnectionClosed));
        Assert.That(error, isTimeout
            ? Is.InstanceOf<PgException>().With.Property("Code").EqualTo(PgErrorCode.Timeout)
            : Is.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public async Task The_servers_own_last_error_is_told_although_the_command_was_stopped()
    {
        await Begin();
        _session.Cancellation.WaitTimedOut();
        var fatal = new PostgresException(new ServerErrorFields { SqlState = "57P01" }, includeDetail: false);
        Assert.That(_session.Failed(fatal), Is.SameAs(fatal));
    }

    [Test]
    public void The_end_of_a_transaction_makes_its_definitions_known_to_other_sessions()
    {
        _session.Ready(TransactionStatus.InTransaction, isLast: true);
        _session.Effects.Add(SessionChanges.Definitions);
        var invalidations = _session.Context.Database.Invalidations;
        _session.Ready(TransactionStatus.InTransaction, isLast: true);
        Assert.That(_session.Context.Database.Invalidations, Is.EqualTo(invalidations));
        _session.Ready(TransactionStatus.Idle, isLast: true);
        Assert.That((_session.TransactionStatus, _session.Context.Database.Invalidations), Is.EqualTo((TransactionStatus.Idle, invalidations + 1)));
    }

    [Test]
    public async Task No_deferred_statement_is_waited_for_where_there_is_none()
    {
        var limit = Loxo.Transport.Deadline.None;
        if (mode == WaitMode.Blocking)
            Assert.That(_session.Deferred.Take(limit), Is.True);
        else
            await _session.Deferred.TakeAsync(limit, CancellationToken.None);
    }

    [Test]
    public async Task A_session_is_forgotten_when_its_owner_was_collected_though_its_command_may_be_unread([Values] bool isBusy)
    {
        Assert.That(_session.Owner.IsForgotten, Is.False, "its owner lives");
        _session.Owner.TakeBack();
        Assert.That(_session.Owner.IsForgotten, Is.False, "it is the pool's");
        await HandToNobody(isBusy);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.That(_session.Owner.IsForgotten, Is.True);
        _session.Failed(SessionErrors.Closed());
        Assert.That(_session.Owner.IsForgotten, Is.True, "its place in the pool can be used again");
        GC.KeepAlive(_owner);
    }

    private static ParameterStatus Parameter(string name, string value) => new((byte[])[.. Answer.Text(name), .. Answer.Text(value)]);

    private static Task Begin(ServerSession session, ISessionListener? owner, WaitMode mode, Action<ServerSession> write)
    {
        return mode.Run(
            () => session.Begin(owner, Write, write),
            () => session.BeginAsync(owner, Write, write).AsTask());

        static bool Write(ServerSession session, Action<ServerSession> write)
        {
            write(session);
            return true;
        }
    }

    private Task Begin() => Begin(_session, _owner);

    private async Task Begin(ServerSession session, ISessionListener? owner, Action<ServerSession>? write = null) =>
        await Begin(session, owner, mode, write ?? (static _ => { }));

    private void SayBoth()
    {
        Server.Notice(new ServerErrorFields { MessageText = "mind" });
        Server.Notification(new NotificationResponse((byte[])[.. Answer.Int32(7), .. Answer.Text("news"), .. Answer.Text("extra")]));
    }

    // In a method of its own, so that no local variable keeps the owner.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Task HandToNobody(bool isBusy)
    {
        var owner = new Listener();
        _session.Owner.HandOver(owner);
        return isBusy ? Task.Run(() => Begin(_session, owner)) : Task.CompletedTask;
    }

    private sealed class Listener : ISessionListener
    {
        public List<string?> Heard { get; } = [];

        public void Notice(ServerErrorFields notice) => Heard.Add(notice.MessageText);

        public void Notification(PgNotificationEventArgs notification) =>
            Heard.Add($"{notification.Channel}: {notification.Payload} ({notification.PID})");
    }
}
