using System.Collections;
using System.Reflection;

namespace Loxo.Tests.Errors;

public class PostgresExceptionTests
{
    /// <summary>Every field set, so that a mix-up of two fields shows.</summary>
    private static ServerErrorFields AllFields() => new()
    {
        Severity = "FEHLER", InvariantSeverity = "ERROR", SqlState = "23505", MessageText = "duplicate key", Detail = "Key (id)=(7) exists.", Hint = "hint",
        Position = 8, InternalPosition = 9, InternalQuery = "INSERT ...", Where = "PL/pgSQL function f()", SchemaName = "public", TableName = "t",
        ColumnName = "id", DataTypeName = "int4", ConstraintName = "t_pkey", File = "nbtinsert.c", Line = "664", Routine = "_bt_check_unique",
    };

    [Test]
    public void Every_field_of_the_server_is_a_property_of_the_exception_and_of_the_notice()
    {
        var fields = AllFields();
        var error = new PostgresException(fields, includeDetail: true);
        var notice = new PostgresNotice(fields, includeDetail: true);

        Assert.Multiple(() =>
        {
            foreach (var field in FieldProperties())
            {
                Assert.That(ValueOf(error, field.Name), Is.EqualTo(field.GetValue(fields)), $"exception: {field.Name}");
                Assert.That(ValueOf(notice, field.Name), Is.EqualTo(field.GetValue(fields)), $"notice: {field.Name}");
            }
        });
    }

    [Test]
    public void The_public_constructors_fill_every_field()
    {
        var expected = AllFields();
        var error = Construct<PostgresException>(expected);
        var notice = Construct<PostgresNotice>(expected);

        Assert.Multiple(() =>
        {
            foreach (var field in FieldProperties())
            {
                Assert.That(ValueOf(error, field.Name), Is.EqualTo(field.GetValue(expected)), $"exception: {field.Name}");
                Assert.That(ValueOf(notice, field.Name), Is.EqualTo(field.GetValue(expected)), $"notice: {field.Name}");
            }
        });
    }

    [Test]
    public void The_short_constructor_leaves_the_optional_fields_empty()
    {
        var error = new PostgresException("text", "ERROR", "ERROR", "42601");

        Assert.Multiple(() =>
        {
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ServerError));
            Assert.That(error.Message, Is.EqualTo("42601: text"));
            Assert.That(error.Detail, Is.Null);
            Assert.That(error.Position, Is.Zero);
        });
    }

    [Test]
    public void The_message_is_sqlstate_and_text_then_position_and_detail_on_lines_of_their_own()
    {
        var lines = new PostgresException(AllFields(), includeDetail: true).Message.ReplaceLineEndings("\n");

        Assert.That(lines, Is.EqualTo("23505: duplicate key\n\nPOSITION: 8\nDETAIL: Key (id)=(7) exists."));
    }

    [Test]
    public void A_message_without_position_or_detail_is_one_line()
    {
        var fields = AllFields();
        fields.Position = 0;
        fields.Detail = null;

        Assert.That(new PostgresException(fields, includeDetail: false).Message, Is.EqualTo("23505: duplicate key"));
    }

    [Test]
    public void A_detail_is_shown_only_on_request_and_its_place_says_how_to_ask()
    {
        var fields = AllFields();
        var error = new PostgresException(fields, includeDetail: false);

        Assert.Multiple(() =>
        {
            Assert.That(error.Detail, Does.Contain("Include Error Detail=true"));
            Assert.That(error.ToString(), Does.Not.Contain("(id)=(7)"));
            Assert.That(error.Data["Detail"], Is.EqualTo(error.Detail));
            Assert.That(new PostgresNotice(fields, includeDetail: false).Detail, Is.EqualTo(error.Detail));
            Assert.That(fields.Detail, Is.EqualTo("Key (id)=(7) exists."), "the fields themselves are not changed");
        });
    }

    [Test]
    public void Without_a_detail_there_is_nothing_to_hide() =>
        Assert.That(new PostgresException(new ServerErrorFields { MessageText = "text" }, includeDetail: false).Detail, Is.Null);

    [Test]
    public void Data_holds_exactly_the_fields_that_the_server_sent()
    {
        var all = new PostgresException(AllFields(), includeDetail: true).Data;
        var few = new PostgresException("text", "ERROR", "ERROR", "42601").Data;

        Assert.Multiple(() =>
        {
            Assert.That(all.Keys, Is.EquivalentTo(FieldProperties().Select(field => field.Name)));
            Assert.That(all["Position"], Is.EqualTo(8));
            Assert.That(all["ConstraintName"], Is.EqualTo("t_pkey"));
            Assert.That(few.Cast<DictionaryEntry>().Select(entry => $"{entry.Key}={entry.Value}"),
                Is.EquivalentTo(new[] { "Severity=ERROR", "InvariantSeverity=ERROR", "SqlState=42601", "MessageText=text" }));
        });
    }

    [Test]
    public void ToString_shows_the_fields_that_the_message_does_not()
    {
        var text = new PostgresException(AllFields(), includeDetail: true).ToString();

        Assert.That(text, Does.StartWith("Loxo.PostgresException").And.Contain("Hint: hint").And.Contain("ConstraintName: t_pkey"));
    }

    [Test]
    public void A_server_that_sends_nothing_but_a_message_gives_no_nulls_where_none_are_promised()
    {
        var error = new PostgresException(new ServerErrorFields { Severity = "FATAL" }, includeDetail: false);

        Assert.Multiple(() =>
        {
            Assert.That(error.InvariantSeverity, Is.EqualTo("FATAL"));
            Assert.That(error.SqlState, Is.Empty);
            Assert.That(error.MessageText, Is.Empty);
            Assert.That(error.Message, Is.Empty);
        });
    }

    [Test]
    public void Exactly_the_states_that_pass_are_transient()
    {
        string[] expected =
        [
            "53000", "53100", "53200", "53300", "53400", "57P03", "58000", "58030", "40001", "40P01", "55P03", "55006", "55000",
            "08000", "08003", "08006", "08001", "08004", "08007", "57P01", "57P02", "57P05",
        ];

        Assert.That(AllSqlStates().Where(state => WithState(state).IsTransient), Is.EquivalentTo(expected));
    }

    [Test]
    public void A_notice_can_be_edited_and_reads_as_one_line()
    {
        var notice = new PostgresNotice("WARNING", "WARNING", "01000", "careful") { Hint = "look", Position = 3 };
        var args = new PgNoticeEventArgs(notice);

        Assert.Multiple(() =>
        {
            Assert.That(args.Notice, Is.SameAs(notice));
            Assert.That(notice.ToString(), Is.EqualTo("WARNING: 01000: careful"));
            Assert.That(notice.Hint, Is.EqualTo("look"));
            Assert.That(notice.Position, Is.EqualTo(3));
        });
    }

    private static PostgresException WithState(string state) => new("text", "ERROR", "ERROR", state);

    private static IEnumerable<string> AllSqlStates() =>
        typeof(SqlStates).GetFields().Select(field => (string)field.GetRawConstantValue()!).Distinct();

    private static PropertyInfo[] FieldProperties() => typeof(ServerErrorFields).GetProperties();

    private static object? ValueOf(object source, string property) => source.GetType().GetProperty(property)!.GetValue(source);

    private static T Construct<T>(ServerErrorFields fields)
    {
        var constructor = typeof(T).GetConstructors().MaxBy(candidate => candidate.GetParameters().Length)!;
        var arguments = constructor.GetParameters().Select(parameter =>
            ValueOf(fields, char.ToUpperInvariant(parameter.Name![0]) + parameter.Name[1..]));
        return (T)constructor.Invoke([.. arguments]);
    }
}
