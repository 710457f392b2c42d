using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>A test of what is sent for statements, flight by flight.</summary>
public abstract class StatementTest(WaitMode mode) : WireTest(mode)
{
    /// <summary>The settings that users have unless they say otherwise.</summary>
    protected const string Default = "Max Auto Prepare=256;";

    /// <summary>Every statement is prepared with its first use.</summary>
    protected const string AtOnce = Default + "Auto Prepare Min Usages=1;";

    /// <summary>What a first, an unnamed use consists of.</summary>
    protected const string Unnamed = "P B D E S";

    /// <summary>The statement is closed, parsed, bound, described and executed.</summary>
    protected const string Anew = "Ca Pa Ba D E S";

    /// <summary>Logs the client in and plays the rest.</summary>
    private protected void PlayFlights(Action<Flights> script) => Play(server =>
    {
        server.Login();
        script(new Flights(server));
    });

    /// <summary>Answers one use of a statement that the server knows and the client has described.</summary>
    private protected static Answer Known(params int[] values) => Rows(new Answer().BindComplete(), values).ReadyForQuery();

    /// <summary>Answers one use of a statement that the server knows and that is described again.</summary>
    private protected static Answer Described(params int[] values) => Rows(new Answer().BindComplete().RowDescription(("value", 23)), values).ReadyForQuery();

    /// <summary>Answers a statement that is closed and prepared anew.</summary>
    private protected static Answer Again(params int[] values) => new Answer().CloseComplete().Result(values).ReadyForQuery();

    /// <summary>The statement returns something else than when it was parsed.</summary>
    private protected static Answer Outdated(char status = 'I') =>
        new Answer().ErrorResponse("0A000", "cached plan must not change result type", routine: "RevalidateCachedQuery").ReadyForQuery(status);

    /// <summary>The server does not know the statement.</summary>
    private protected static Answer Missing(char status = 'I') =>
        new Answer().ErrorResponse("26000", "prepared statement does not exist", routine: "FetchPreparedStatement").ReadyForQuery(status);

    /// <summary>The server knows the name already.</summary>
    private protected static Answer Duplicate(char status = 'I') =>
        new Answer().ErrorResponse("42P05", "prepared statement already exists", routine: "StorePreparedStatement").ReadyForQuery(status);

    private protected static Answer BeginDone() => new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN");

    private protected Task<PgTransaction> Begin() =>
        Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());

    private protected async Task<PgException> Outdated(Func<Task> action)
    {
        var error = await Catch<PgException>(action);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.StatementOutdated), error.Message);
        return error;
    }

    private protected static Answer Rows(Answer answer, params int[] values)
    {
        foreach (var value in values)
            answer.DataRow(value);
        return answer.CommandComplete($"SELECT {values.Length}");
    }
}
