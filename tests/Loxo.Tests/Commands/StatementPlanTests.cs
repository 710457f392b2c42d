using System.Data;
using Loxo.Commands;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Tests.Commands;

/// <summary>Commands with the same text share plans. What one gets must not depend on those before it.</summary>
public class StatementPlanTests
{
    private static readonly string[] _texts =
    [
        "SELECT @a, @b", "SELECT @b, @a, @b", "SELECT $1, $2", "SELECT 1", "CALL p(@a, @b, @c)", "SELECT @missing, @a", "p",
    ];

    private static readonly string[] _names = ["a", "b", "c", "A"];

    private readonly SqlTextCache _cache = new();

    [Test]
    public void Commands_with_the_same_text_and_parameters_share_a_plan()
    {
        Assert.That(Plan(_cache, Command("a", "b")), Is.SameAs(Plan(_cache, Command("A", "b"))));

        static PgBatchCommand Command(params string[] names)
        {
            var command = new PgBatchCommand("SELECT @a, @b");
            foreach (var name in names)
                command.Parameters.AddWithValue(name, 1);
            return command;
        }
    }

    [Test]
    public void A_plan_is_the_same_whichever_commands_came_before([Range(1, 40)] int seed)
    {
        var random = new Random(seed);
        for (var run = 0; run < 200; run++)
        {
            var command = Any(random);
            Assert.That(Shown(() => Plan(_cache, command)), Is.EqualTo(Shown(() => Plan(new SqlTextCache(), Copy(command)))), command.CommandText);
        }
    }

    [Test]
    public void What_a_command_holds_is_not_shared()
    {
        var (first, second) = (new PgBatchCommand("SELECT 1"), new PgBatchCommand("SELECT 1"));
        var shared = Plan(_cache, first);
        var prepared = new CachedStatement("SELECT 1", [], "");
        first.Hold(prepared);
        Assert.That((Plan(_cache, first).Prepared, prepared.Holders), Is.EqualTo((prepared, 1)));
        Assert.That((shared.Prepared, Plan(_cache, second).Prepared), Is.EqualTo((default(CachedStatement), default(CachedStatement))));
        first.CommandText = "SELECT 2";
        Assert.That(prepared.Holders, Is.Zero);
    }

    private static PgBatchCommand Any(Random random)
    {
        var command = new PgBatchCommand(_texts[random.Next(_texts.Length)]);
        if (command.CommandText == "p")
            command.CommandType = random.Next(2) == 0 ? CommandType.StoredProcedure : CommandType.TableDirect;
        var isNamed = random.Next(3) > 0;
        for (var left = random.Next(5); left > 0; left--)
        {
            command.Parameters.Add(new PgParameter(isNamed ? _names[random.Next(_names.Length)] : "", 1)
            {
                Direction = random.Next(4) == 0 ? ParameterDirection.Output : ParameterDirection.Input,
            });
        }
        return command;
    }

    private static PgBatchCommand Copy(PgBatchCommand command)
    {
        var copy = new PgBatchCommand(command.CommandText) { CommandType = command.CommandType };
        foreach (PgParameter parameter in command.Parameters)
            copy.Parameters.Add(parameter.Clone());
        return copy;
    }

    private static StatementPlan Plan(SqlTextCache cache, PgBatchCommand command) => command.UpdatePlan(cache, standardConformingStrings: true);

    private static string Shown(Func<StatementPlan> plan)
    {
        try
        {
            var made = plan();
            return $"{made.Sql} | {string.Join(',', made.Map)} | {string.Join(',', made.Missing)}";
        }
        catch (InvalidOperationException e)
        {
            return e.Message;
        }
    }
}
