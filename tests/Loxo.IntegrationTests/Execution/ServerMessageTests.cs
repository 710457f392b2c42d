namespace Loxo.IntegrationTests.Execution;

/// <summary>What the server says besides results.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ServerMessageTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_notice_is_raised_with_its_fields_while_the_command_runs()
    {
        var notices = new List<PostgresNotice>();
        Connection.Notice += (sender, e) =>
        {
            Assert.That(sender, Is.SameAs(Connection));
            notices.Add(e.Notice);
        };

        await Execute("DO $$ BEGIN RAISE NOTICE 'hello %', 1; RAISE WARNING 'careful' USING HINT = 'think'; END $$");

        Assert.That(notices.Select(notice => notice.MessageText), Is.EqualTo(new[] { "hello 1", "careful" }));
        Assert.That(notices.Select(notice => notice.Severity), Is.EqualTo(new[] { "NOTICE", "WARNING" }));
        Assert.That(notices[1].Hint, Is.EqualTo("think"));
    }

    [Test]
    public async Task A_handler_that_throws_disturbs_nobody()
    {
        Connection.Notice += (_, _) => throw new InvalidOperationException("a handler's own trouble");

        await Execute("DO $$ BEGIN RAISE NOTICE 'hello'; END $$");

        await AssertUsable();
    }

    [Test]
    public async Task Notices_between_rows_do_not_disturb_the_rows()
    {
        await Execute("CREATE FUNCTION pg_temp.loud(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'row %', i; RETURN i; END $$");
        var notices = 0;
        Connection.Notice += (_, _) => notices++;

        var rows = await Rows("SELECT pg_temp.loud(i) FROM generate_series(1, 1000) i");

        Assert.That(rows, Has.Count.EqualTo(1000));
        Assert.That(notices, Is.EqualTo(1000));
    }

    [Test]
    public async Task A_notification_arrives_with_the_next_command()
    {
        var channel = "channel_" + Mode.ToString().ToLowerInvariant();
        var received = new List<PgNotificationEventArgs>();
        Connection.Notification += (_, e) => received.Add(e);
        await Execute($"LISTEN {channel}");
        await using var sender = await OpenAnother();
        await using var notify = new PgCommand("SELECT pg_notify($1, $2)", sender)
        {
            Parameters = { new PgParameter(null, channel), new PgParameter(null, "payload é") },
        };
        await Mode.ExecuteNonQuery(notify);

        await AssertUsable();

        Assert.That(received, Has.Count.EqualTo(1));
        Assert.That(received[0].Channel, Is.EqualTo(channel));
        Assert.That(received[0].Payload, Is.EqualTo("payload é"));
        Assert.That(received[0].PID, Is.EqualTo(sender.ProcessID));
    }

    [Test]
    public async Task One_hears_ones_own_notifications_when_the_transaction_commits()
    {
        var received = 0;
        Connection.Notification += (_, _) => received++;
        var channel = "own_" + Mode.ToString().ToLowerInvariant();
        await Execute($"LISTEN {channel}");
        var transaction = Connection.BeginTransaction();
        await Execute($"NOTIFY {channel}");
        Assert.That(received, Is.Zero);

        await Mode.Commit(transaction);

        await AssertUsable();
        Assert.That(received, Is.EqualTo(1));
    }

    [Test]
    public async Task PostgresParameters_follow_what_the_server_reports()
    {
        Assert.That(Connection.PostgresParameters["server_encoding"], Is.EqualTo("UTF8"));

        await Execute("SET TimeZone = 'Asia/Tokyo'; SET application_name = 'renamed'");

        Assert.That(Connection.Timezone, Is.EqualTo("Asia/Tokyo"));
        Assert.That(Connection.PostgresParameters["application_name"], Is.EqualTo("renamed"));
    }

    [Test]
    public async Task The_servers_version_is_told()
    {
        var number = int.Parse((await Scalar<string>("SHOW server_version_num"))!, System.Globalization.CultureInfo.InvariantCulture);

        Assert.That(Connection.ServerVersion, Is.EqualTo(await Scalar<string>("SHOW server_version")));
        Assert.That(Connection.PostgreSqlVersion.Major, Is.EqualTo(number / 10000).And.EqualTo(TestServer.Version));
        Assert.That(Connection.ProcessID, Is.EqualTo(await Scalar<int>("SELECT pg_backend_pid()")));
        Assert.That(Connection.HasIntegerDateTimes, Is.True);
    }

    [Test]
    public async Task Literals_are_split_as_standard_conforming_strings_says()
    {
        await Execute("SET standard_conforming_strings = off; SET escape_string_warning = off; SET backslash_quote = on");
        await using var command = Command(@"SELECT 'it\'s; @a', @a");
        command.Parameters.AddWithValue("a", 1);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("it's; @a"));
        Assert.That(reader.GetInt32(1), Is.EqualTo(1));
        await Mode.Close(reader);

        await Execute("SET standard_conforming_strings = on");
        command.CommandText = @"SELECT 'a\', @a";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(@"a\"));
    }
}
