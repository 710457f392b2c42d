using System.Data;
using Loxo.Commands;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Tests;

/// <summary>A statement of a batch by itself; no server is asked.</summary>
public sealed class PgBatchCommandTests
{
    private readonly SqlTextCache _cache = new();

    [Test]
    public void It_has_not_run_at_first()
    {
        var command = new PgBatchCommand("SELECT 1");
        Assert.That((command.CommandText, command.CommandType, command.AutoPrepare), Is.EqualTo(("SELECT 1", CommandType.Text, true)));
        Assert.That((command.RecordsAffected, command.Rows, command.StatementType), Is.EqualTo((-1, 0ul, StatementType.Unknown)));
        Assert.That((command.HasSucceeded, command.Error, command.AppendErrorBarrier), Is.EqualTo((false, default(PostgresException), default(bool?))));
    }

    [Test]
    public void Null_is_an_empty_text_which_does_not_run()
    {
        var command = new PgBatchCommand { CommandText = null };
        Assert.That(command.CommandText, Is.Empty);
        Assert.That(Assert.Throws<InvalidOperationException>(() => Plan(command))!.Message, Does.Contain("CommandText"));
    }

    [Test]
    public void It_holds_one_statement()
    {
        Assert.That(Plan(new PgBatchCommand("SELECT 1;")), Is.Not.Null);
        Assert.That(Assert.Throws<NotSupportedException>(() => Plan(new PgBatchCommand("SELECT 1; SELECT 2")))!.Message, Does.Contain("one statement"));
    }

    [Test]
    public void Another_text_makes_another_plan()
    {
        var command = new PgBatchCommand("SELECT @a");
        command.Parameters.AddWithValue("a", 1);
        Assert.That(Plan(command).Sql, Is.EqualTo("SELECT $1"));
        command.CommandText = "SELECT 2, @a";
        Assert.That(Plan(command).Sql, Is.EqualTo("SELECT 2, $1"));
    }

    [Test]
    public void Only_statements_that_change_rows_affect_records()
    {
        var command = new PgBatchCommand();
        command.Take(StatementType.Update, 5, 0);
        Assert.That((command.RecordsAffected, command.Rows), Is.EqualTo((5, 5ul)));
        command.Take(StatementType.Select, 7, 0);
        Assert.That((command.RecordsAffected, command.Rows), Is.EqualTo((-1, 7ul)));
        command.Take(StatementType.Delete, 1ul + int.MaxValue, 0);
        Assert.That(command.Rows, Is.EqualTo(1ul + int.MaxValue));
        Assert.Throws<OverflowException>(() => _ = command.RecordsAffected);
    }

    [Test]
    public void An_error_takes_back_what_an_earlier_run_has_left()
    {
        var command = new PgBatchCommand();
        command.Take(StatementType.Update, 5, 0);
        var error = new PostgresException("no", "ERROR", "ERROR", "23505");
        command.Fail(error);
        Assert.That((command.RecordsAffected, command.HasSucceeded, command.Error), Is.EqualTo((-1, false, error)));
    }

    private StatementPlan Plan(PgBatchCommand command) => command.UpdatePlan(_cache, standardConformingStrings: true);
}
