using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>In which formats columns are asked for: in binary until the server has described them, then each as it can be read.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class ResultFormatTests(WaitMode mode) : StatementTest(mode)
{
    // int4, and aclitem, which the server cannot send in binary.
    private static readonly (string, int)[] Columns = [("number", 23), ("access", 1033)];

    private static readonly short[] Binary = [1], Mixed = [1, 0], Text = [0];

    [Test]
    public async Task A_described_statement_is_asked_for_with_a_format_for_each_column()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Da S", new Answer().ParseComplete().Add('t', [0, 0]).Raw(Description(0, 0)).ReadyForQuery());
            for (var i = 0; i < 2; i++)
            {
                client.Expect("Ba E S", Row(new Answer().BindComplete()));
                Assert.That(client.Formats, Is.EqualTo(Mixed));
            }
        });
        await Open(Default);
        await using var command = Command("SELECT x");
        await Mode.Prepare(command);
        for (var i = 0; i < 2; i++)
            await Check(command);
    }

    [Test]
    public async Task A_text_whose_rows_nobody_reads_is_run_at_once_in_text_format()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, Row(new Answer().ParseComplete().BindComplete().Raw(Description(0, 0))));
            Assert.That(client.Formats, Is.EqualTo(Text));
            client.Expect("P D S", new Answer().ParseComplete().Add('t', [0, 0]).Raw(Description(0, 0)).ReadyForQuery());
            client.Expect(Unnamed, Row(new Answer().ParseComplete().BindComplete().Raw(Description(1, 0))));
            Assert.That(client.Formats, Is.EqualTo(Mixed));
        });
        await Open();
        Connection.Session!.Context.Database.HidesNothing = static _ => false;
        await Execute("SELECT x");
        await using var command = Command("SELECT x");
        await Check(command);
    }

    [Test]
    public async Task A_run_as_text_does_not_show_which_columns_can_be_sent_in_binary()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, new Answer().ParseComplete().BindComplete().Raw(Description(0, 0)).CommandComplete("SELECT 0").ReadyForQuery());
            client.Expect("P D S", new Answer().ParseComplete().Add('t', [0, 0]).Raw(Description(0, 0)).ReadyForQuery());
            client.Expect(Unnamed, Row(new Answer().ParseComplete().BindComplete().Raw(Description(1, 0))));
        });
        await Open();
        Connection.Session!.Context.Database.HidesNothing = static _ => false;
        await using var command = Command("SELECT x");
        command.AllResultTypesAreUnknown = true;
        Assert.That(await Mode.ExecuteScalar(command), Is.Null);
        await using var again = Command("SELECT x");
        await Check(again);
    }

    [Test]
    public async Task A_first_run_asks_for_binary_and_what_it_teaches_holds_for_all_later_ones()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, new Answer().ParseComplete().BindComplete().Raw(Description(1, 1))
                .ErrorResponse("42883", "no binary output function available for type aclitem", routine: "getTypeBinaryOutputInfo").ReadyForQuery());
            Assert.That(client.Formats, Is.EqualTo(Binary));
            client.Expect(Unnamed, Row(new Answer().ParseComplete().BindComplete().Raw(Description(1, 0))));
            Assert.That(client.Formats, Is.EqualTo(Mixed));
            client.Expect("Pa Ba D E S", Row(new Answer().ParseComplete().BindComplete().Raw(Description(1, 0))));
            Assert.That(client.Formats, Is.EqualTo(Mixed));
            client.Expect("Ba E S", Row(new Answer().BindComplete()));
            Assert.That(client.Formats, Is.EqualTo(Mixed));
        });
        await Open(Default + "Auto Prepare Min Usages=3");
        for (var i = 0; i < 3; i++)
        {
            await using var command = Command("SELECT x");
            await Check(command);
        }
    }

    [Test]
    public async Task A_statement_of_binary_columns_goes_on_asking_for_binary_whatever_others_of_the_batch_need()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Da S", new Answer().ParseComplete().Add('t', [0, 0]).Raw(Description(0, 0)).ReadyForQuery());
            client.Expect("Pb Bb D E S", Answer.Select(1));
            client.Expect("Ba E Bb E S", Rows(Row(new Answer().BindComplete(), ends: false).BindComplete(), 7).ReadyForQuery());
            Assert.That(client.Formats, Is.EqualTo(Binary));
        });
        await Open(AtOnce);
        await using var command = Command("SELECT x");
        await Mode.Prepare(command);
        await Rows("SELECT y");
        Assert.That(await Rows("SELECT x; SELECT y"), Is.EqualTo(new[] { 5, 7 }));
    }

    private static Answer Description(byte first, byte second)
    {
        var bytes = new Answer().RowDescription(Columns).Bytes;
        bytes[^1] = second;
        // The second column takes its name, a zero and 18 bytes.
        bytes[^(1 + "access".Length + 1 + 18)] = first;
        return new Answer().Raw(bytes);
    }

    private static Answer Row(Answer answer, bool ends = true)
    {
        answer.DataRow(Answer.Int32(5), "postgres=r/postgres"u8.ToArray()).CommandComplete("SELECT 1");
        return ends ? answer.ReadyForQuery() : answer;
    }

    private async Task Check(PgCommand command)
    {
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That((reader.GetInt32(0), reader.GetString(1)), Is.EqualTo((5, "postgres=r/postgres")));
        await Mode.Close(reader);
    }
}
