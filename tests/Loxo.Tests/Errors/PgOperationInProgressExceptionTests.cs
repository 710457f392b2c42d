using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Loxo.Tests.Errors;

public class PgOperationInProgressExceptionTests
{
    [Test]
    public void It_names_the_command_in_the_way_and_says_what_to_do()
    {
        var command = new TextOnlyCommand { CommandText = "SELECT *\n   FROM orders" };
        var error = new PgOperationInProgressException(command);

        Assert.Multiple(() =>
        {
            Assert.That(error.CommandInProgress, Is.SameAs(command));
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionBusy));
            Assert.That(error.Message, Does.StartWith("A command is already in progress on this connection: \"SELECT * FROM orders\". ").And.Contain("dispose"));
            Assert.That(error.IsTransient, Is.False);
        });
    }

    [TestCase(1_000)]
    [TestCase(5_000_000)]
    public void A_long_text_is_shortened(int length)
    {
        var error = new PgOperationInProgressException(new TextOnlyCommand { CommandText = "SELECT '" + new string('x', length) + "'" });

        Assert.That(error.Message, Does.Contain("...\"").And.Length.LessThan(400));
    }

    [Test]
    public void A_text_that_is_mostly_blank_is_marked_as_cut()
    {
        var error = new PgOperationInProgressException(new TextOnlyCommand { CommandText = "SELECT" + new string(' ', 5_000) + "1" });

        Assert.That(error.Message, Does.Contain("\"SELECT...\""));
    }

    [Test]
    public void A_cut_never_leaves_half_of_a_character()
    {
        var error = new PgOperationInProgressException(new TextOnlyCommand { CommandText = new string('x', 99) + "😀😀" });

        Assert.That(error.Message.Any(char.IsSurrogate), Is.False);
    }

    [Test]
    public void Without_a_command_it_names_none()
    {
        var error = new PgOperationInProgressException(null);

        Assert.Multiple(() =>
        {
            Assert.That(error.CommandInProgress, Is.Null);
            Assert.That(error.Message, Does.StartWith("A command is already in progress on this connection. "));
        });
    }

    private sealed class TextOnlyCommand : DbCommand
    {
        [AllowNull]
        public override string CommandText { get; set; } = "";

        public override int CommandTimeout { get; set; }

        public override CommandType CommandType { get; set; }

        public override bool DesignTimeVisible { get; set; }

        public override UpdateRowSource UpdatedRowSource { get; set; }

        protected override DbConnection? DbConnection { get; set; }

        protected override DbParameterCollection DbParameterCollection => throw new NotSupportedException();

        protected override DbTransaction? DbTransaction { get; set; }

        public override void Cancel() => throw new NotSupportedException();

        public override int ExecuteNonQuery() => throw new NotSupportedException();

        public override object? ExecuteScalar() => throw new NotSupportedException();

        public override void Prepare() => throw new NotSupportedException();

        protected override DbParameter CreateDbParameter() => throw new NotSupportedException();

        protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => throw new NotSupportedException();
    }
}
