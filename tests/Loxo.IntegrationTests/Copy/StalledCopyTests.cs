using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Copy;

/// <summary>
/// However a copy on a link that stalls ends, it does end, says why, leaves the table empty or complete, and no session behind that a later
/// command could trip over.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class StalledCopyTests(WaitMode mode) : StalledCopyTest(mode, tls: false)
{
    private static IEnumerable<TestCaseData> Cases => All.Select(Case);

    private static IEnumerable<TestCaseData> Stops => All.Where(one => one.End is End.TimeLimit or End.Token).Select(Case);

    private static IEnumerable<TestCaseData> Imports => All.Where(one => IsImport(one.Kind) && one.Stage != Stage.Beginning).Select(Case);

    [TestCaseSource(nameof(Cases))]
    public Task It_ends_with_a_reason_and_leaves_all_rows_or_none(Kind kind, Stage stage, End end) => EndOnStalledLink(kind, stage, end);

    [TestCaseSource(nameof(Stops))]
    public Task A_link_that_recovers_when_the_server_has_been_asked_to_stop_leaves_the_connection_usable(Kind kind, Stage stage, End end) =>
        RecoverAfterCancel(kind, stage, end);

    [Test]
    public async Task An_export_that_waits_is_cancelled_from_another_thread([Values(Kind.BinaryExport, Kind.TextExport)] Kind kind)
    {
        var (connection, link) = await Open("Cancellation Timeout=60000;Command Timeout=60");
        var (copy, gate) = await Begin(connection, link, kind, Stage.WithinRows, End.CloseElsewhere, sleeps: true);
        _ = OpenAfterCancel(gate);

        var call = Stall(connection, copy, kind, Stage.WithinRows, CancellationToken.None);
        await Stalled(connection, link, gate, kind, Stage.WithinRows);
        await Start(() => Cancel(copy!));

        await Error<OperationCanceledException>(call);
        await AssertUsable(connection);
    }

    [TestCaseSource(nameof(Imports))]
    public async Task The_next_renter_gets_a_session_that_works_after_an_import_has_stalled(Kind kind, Stage stage, End end)
    {
        SkipUnlessPossible(end);
        using var cancellation = new CancellationTokenSource();
        // Without a reset, as after an audit, nothing is asked of the session before its next renter has it.
        var text = $"SSL Mode=Disable;{Direct};Session Reset=Never;Maximum Pool Size=1;Cancellation Timeout=50;Command Timeout=60;Timeout=60";
        await using var dataSource = PgDataSource.Create(Proxy.ConnectionString(text));
        await using var first = dataSource.CreateConnection();
        await Start(() => Mode.Open(first));
        var process = first.ProcessID;
        var link = await Proxy.Link(0);
        var (copy, gate) = await Begin(first, link, kind, stage, end);
        await using var second = dataSource.CreateConnection();
        var opening = Start(() => Mode.Open(second));

        var ending = IsBetweenCalls(end) ? EndBetweenCalls(first, copy!, gate, stage, end) : Stall(first, copy, kind, stage, cancellation.Token);
        if (!IsBetweenCalls(end))
            await EndDuringCall(first, link, gate, kind, stage, end, cancellation);
        // Whoever closes during a call does not wait for it, and neither does the next renter.
        if (end != End.CloseElsewhere)
            await EndOf(ending);
        await Start(() => Mode.Close(first));

        await opening;
        await AssertUsable(second);
        Assert.That(second.ProcessID, Is.Not.EqualTo(process));
        Assert.That(await EndOf(ending), IsBetweenCalls(end) && !CompletesOnDispose(kind, end) ? Is.Null : Is.Not.Null);
        gate.Open();
        await Gone(process);
        var count = await Count();
        Assert.That(count, IsUnknown(kind, stage, end) ? Is.EqualTo(0).Or.EqualTo(Rows) : Is.Zero);
        Assert.That(await Scalar(second, $"SELECT count(*) FROM {Table}"), Is.EqualTo(count));
    }
}

/// <summary>As <see cref="StalledCopyTests"/>, over TLS, for what is encrypted while it stalls.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class EncryptedStalledCopyTests(WaitMode mode) : StalledCopyTest(mode, tls: true)
{
    private static IEnumerable<TestCaseData> Cases => All.Where(one => one.Kind is Kind.BinaryImport or Kind.BinaryExport
        && one.End is End.TimeLimit or End.Token or End.CloseElsewhere && one is not { Stage: Stage.Beginning, End: End.TimeLimit }).Select(Case);

    private static IEnumerable<TestCaseData> Stops => Cases.Where(one => one.Arguments[2] is End.TimeLimit or End.Token);

    [TestCaseSource(nameof(Cases))]
    public Task It_ends_with_a_reason_and_leaves_all_rows_or_none(Kind kind, Stage stage, End end) => EndOnStalledLink(kind, stage, end);

    [TestCaseSource(nameof(Stops))]
    public Task A_link_that_recovers_when_the_server_has_been_asked_to_stop_leaves_the_connection_usable(Kind kind, Stage stage, End end) =>
        RecoverAfterCancel(kind, stage, end);
}
