using System.Data;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>Passwords that do not come from the connection string.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class PasswordProviderTests(WaitMode mode)
{
    [Test]
    public async Task The_provider_of_the_wait_mode_is_asked_for_each_physical_connection()
    {
        var (blocking, async) = (0, 0);
        var builder = Builder();
        builder.UsePasswordProvider(
            settings =>
            {
                blocking++;
                return settings.Username == TestServer.ScramUser ? TestServer.Password : "";
            },
            (settings, _) =>
            {
                async++;
                return new(settings.Username == TestServer.ScramUser ? TestServer.Password : "");
            });
        await using var source = builder.Build();
        for (var i = 0; i < 2; i++)
            Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        source.Clear();
        await UserOf(source);

        Assert.That((blocking, async), Is.EqualTo(mode == WaitMode.Blocking ? (2, 0) : (0, 2)));
    }

    [Test]
    public async Task A_password_that_was_refused_is_asked_for_again_and_another_one_tried_once()
    {
        var answers = new Queue<string>(["old", TestServer.Password]);
        var builder = Builder();
        builder.UsePasswordProvider(_ => answers.Dequeue(), (_, _) => new(answers.Dequeue()));
        await using var source = builder.Build();

        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        Assert.That(answers, Is.Empty);
    }

    [Test]
    public async Task Two_refusals_are_enough()
    {
        var asked = 0;
        var builder = Builder();
        builder.UsePasswordProvider(_ => $"wrong {asked++}", (_, _) => new($"wrong {asked++}"));
        await using var source = builder.Build();

        Assert.That((await Refused<PostgresException>(source)).SqlState, Is.EqualTo(SqlStates.InvalidPassword));
        Assert.That(asked, Is.EqualTo(2));
    }

    [Test]
    public async Task What_a_provider_throws_is_thrown_and_the_next_attempt_may_succeed()
    {
        var answers = new Queue<Func<string>>([() => throw new TimeZoneNotFoundException("vault"), () => TestServer.Password]);
        var builder = Builder();
        builder.UsePasswordProvider(_ => answers.Dequeue()(), (_, _) => new(answers.Dequeue()()));
        await using var source = builder.Build();

        Assert.That((await Refused<TimeZoneNotFoundException>(source)).Message, Is.EqualTo("vault"));
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
    }

    [Test]
    public async Task A_periodic_provider_is_asked_at_once_and_after_a_refusal()
    {
        var asked = 0;
        var builder = Builder();
        builder.UsePeriodicPasswordProvider(
            async (_, _) =>
            {
                await Task.Yield();
                return Interlocked.Increment(ref asked) == 1 ? "expired" : TestServer.Password;
            },
            TimeSpan.FromDays(1), TimeSpan.FromDays(1));
        await using var source = builder.Build();

        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        source.Clear();
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        Assert.That(asked, Is.EqualTo(2));
    }

    [Test]
    public async Task A_periodic_provider_that_fails_is_named()
    {
        var builder = Builder();
        builder.UsePeriodicPasswordProvider((_, _) => throw new TimeZoneNotFoundException("vault"), TimeSpan.FromDays(1), TimeSpan.FromDays(1));
        await using var source = builder.Build();

        var error = await Refused<PgException>(source);

        Assert.That((error.Code, error.InnerException?.Message), Is.EqualTo((PgErrorCode.AuthenticationFailed, "vault")));
    }

    [Test]
    public async Task A_periodic_provider_is_asked_again_after_the_interval()
    {
        var later = new TaskCompletionSource();
        var asked = 0;
        var builder = Builder();
        builder.UsePeriodicPasswordProvider(
            (_, _) =>
            {
                if (Interlocked.Increment(ref asked) == 3)
                    later.TrySetResult();
                return new(TestServer.Password);
            },
            TimeSpan.FromMilliseconds(1), TimeSpan.FromDays(1));
        await using var source = builder.Build();

        await later.Task.WaitAsync(TimeSpan.FromSeconds(30));
    }

    [Test]
    public async Task A_periodic_provider_that_does_not_answer_ends_with_the_timeout()
    {
        var builder = Builder();
        builder.ConnectionStringBuilder.Timeout = 1;
        builder.UsePeriodicPasswordProvider(
            async (_, token) =>
            {
                await Task.Delay(Timeout.Infinite, token);
                return "";
            },
            TimeSpan.FromDays(1), TimeSpan.FromDays(1));
        await using var source = builder.Build();

        Assert.That((await Refused<PgException>(source)).Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task A_provider_that_does_not_answer_ends_with_the_timeout_or_the_token()
    {
        AssertIsAsync();
        var builder = Builder();
        builder.ConnectionStringBuilder.Timeout = 1;
        builder.UsePasswordProvider(_ => "", static (_, _) => new(Never<string>()));
        await using var source = builder.Build();

        Assert.That((await Refused<PgException>(source)).Code, Is.EqualTo(PgErrorCode.Timeout));
        await AssertTokenEnds(source);
    }

    [Test]
    public async Task An_initializer_that_does_not_end_is_given_up_with_the_timeout_or_the_token()
    {
        AssertIsAsync();
        PgConnection? held = null;
        var builder = Builder();
        builder.ConnectionStringBuilder.Timeout = 1;
        builder.UsePasswordProvider(_ => TestServer.Password, (_, _) => new(TestServer.Password));
        builder.UsePhysicalConnectionInitializer(_ => { }, connection =>
        {
            held = connection;
            return Never<object>();
        });
        await using var source = builder.Build();

        var error = await Refused<PgException>(source);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.Message, Does.Contain("initializer"));
        await using var command = new PgCommand("SELECT 1", held);
        Assert.That(async () => await command.ExecuteScalarAsync(), Throws.InstanceOf<PgException>());
        await AssertTokenEnds(source);
    }

    [Test]
    public async Task The_password_of_a_data_source_can_be_set()
    {
        await using var source = Builder().Build();
        source.Password = "wrong";
        Assert.That((await Refused<PostgresException>(source)).SqlState, Is.EqualTo(SqlStates.InvalidPassword));
        source.Password = TestServer.Password;

        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
    }

    [Test]
    public async Task A_callback_of_a_connection_supplies_the_password()
    {
        var asked = new List<string>();
        await using var connection = new PgConnection(Builder().ConnectionString + $";Application Name=callback {mode}");
#pragma warning disable CS0618 // programs still use it
        connection.ProvidePasswordCallback = (host, port, database, user) =>
        {
            asked.Add($"{user}@{host}:{port}/{database}");
            return TestServer.Password;
        };
#pragma warning restore CS0618
        await mode.Open(connection);

        Assert.That(asked, Is.EqualTo([$"{TestServer.ScramUser}@{connection.Host}:{connection.Port}/{connection.Database}"]));
        await using var clone = connection.CloneWith(connection.ConnectionString + ";Pooling=false");
        await mode.Open(clone);
    }

    [Test]
    public async Task Each_physical_connection_is_initialized_once()
    {
        var (blocking, async) = (0, 0);
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString);
        builder.UsePhysicalConnectionInitializer(
            connection =>
            {
                blocking++;
                using var command = new PgCommand("CREATE TEMP TABLE initialized AS SELECT 5 AS x", connection);
                command.ExecuteNonQuery();
            },
            async connection =>
            {
                async++;
                await using var command = new PgCommand("CREATE TEMP TABLE initialized AS SELECT 5 AS x", connection);
                await command.ExecuteNonQueryAsync();
            });
        await using var source = builder.Build();
        for (var i = 0; i < 2; i++)
        {
            await using var connection = source.CreateConnection();
            await mode.Open(connection);
            if (i > 0)
                continue;
            await using var command = new PgCommand("SELECT x FROM initialized", connection);
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(5));
        }

        Assert.That((blocking, async), Is.EqualTo(mode == WaitMode.Blocking ? (1, 0) : (0, 1)));
    }

    [TestCase("SELECT 1/0")]
    [TestCase("BEGIN")]
    [TestCase(null)]
    public async Task A_connection_that_was_not_initialized_is_not_used(string? sql)
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString);
        var fails = true;
        builder.UsePhysicalConnectionInitializer(
            connection =>
            {
                if (!fails)
                    return;
                if (sql is null)
                    connection.Close();
                else
                    new PgCommand(sql, connection).ExecuteNonQuery();
            },
            async connection =>
            {
                if (!fails)
                    return;
                if (sql is null)
                    await connection.CloseAsync();
                else
                    await new PgCommand(sql, connection).ExecuteNonQueryAsync();
            });
        await using var source = builder.Build();
        await using var connection = source.CreateConnection();

        Assert.That(async () => await mode.Open(connection), sql == "SELECT 1/0"
            ? Throws.TypeOf<PostgresException>()
            : Throws.InvalidOperationException);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        fails = false;
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_current_xact_id_if_assigned() IS NULL", connection);
        Assert.That(await mode.ExecuteScalar(command), Is.True);
    }

    private static PgDataSourceBuilder Builder()
    {
        var builder = new PgDataSourceBuilder(TestServer.Passwords.ConnectionString);
        builder.ConnectionStringBuilder.Username = TestServer.ScramUser;
        builder.ConnectionStringBuilder.Password = null;
        return builder;
    }

    private async Task<string?> UserOf(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT session_user::text", connection);
        return (string?)await mode.ExecuteScalar(command);
    }

    // A function that blocks ends when it ends.
    private void AssertIsAsync()
    {
        if (mode == WaitMode.Blocking)
            Assert.Ignore("A function of the program that blocks cannot be ended by the driver.");
    }

    private static Task<T> Never<T>() => new TaskCompletionSource<T>().Task;

    private static async Task AssertTokenEnds(PgDataSource source)
    {
        using var cancellation = new CancellationTokenSource(TimeSpan.FromMilliseconds(50));
        await using var connection = source.CreateConnection();
        Assert.That(async () => await connection.OpenAsync(cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
    }

    private async Task<T> Refused<T>(PgDataSource source)
        where T : Exception
    {
        await using var connection = source.CreateConnection();
        try
        {
            await mode.Open(connection);
        }
        catch (T expected)
        {
            return expected;
        }
        throw new AssertionException($"Expected {typeof(T).Name}.");
    }
}
