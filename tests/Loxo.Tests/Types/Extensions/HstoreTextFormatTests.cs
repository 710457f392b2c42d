using System.Text;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class HstoreTextFormatTests
{
    private static readonly HstoreTextFormat Form = new();

    // What PostgreSQL 15 makes of the texts on the left.
    [TestCase("", "")]
    [TestCase("\"\"=>\"\", \"a\"=>\"1\", \"b\"=>NULL, \"k€y\"=>\"a\\\"b\\\\c\"", "\"\"=>\"\", \"a\"=>\"1\", \"b\"=>NULL, \"k€y\"=>\"a\\\"b\\\\c\"")]
    [TestCase("\"a\" => 1 , b=>null,c => NULL", "\"a\"=>\"1\", \"b\"=>NULL, \"c\"=>NULL")]
    [TestCase("a=>b=>c", "\"a\"=>\"b=>c\"")]
    [TestCase("a=>1,", "\"a\"=>\"1\"")]
    [TestCase("a\\=b=>c\\,d", "\"a=b\"=>\"c,d\"")]
    [TestCase("e=>f\"g", "\"e\"=>\"f\\\"g\"")]
    [TestCase(",a=>1", "\",a\"=>\"1\"")]
    [TestCase("a=>1,,b=>2", "\"a\"=>\"1\", \",b\"=>\"2\"")]
    [TestCase("a=>1,a=>2", "\"a\"=>\"1\"")]
    [TestCase("a=>Null, b=>\"null\", c=>nullx", "\"a\"=>NULL, \"b\"=>\"null\", \"c\"=>\"nullx\"")]
    public void Text_becomes_pairs_and_pairs_text_as_the_server_does_it(string text, string shown)
    {
        var hex = CodecCheck.Write(writer => Form.WriteBinary(writer, Encoding.UTF8.GetBytes(text)));
        Assert.That(Form.ToText(Convert.FromHexString(hex)), Is.EqualTo(shown));
    }

    [TestCase("a=>\"b")]
    [TestCase("a")]
    [TestCase("a=>1 b=>2")]
    [TestCase("a=>")]
    [TestCase("=>1")]
    [TestCase("a=b")]
    [TestCase("a b=>c")]
    [TestCase("a=>b\\")]
    [TestCase("\"a\\")]
    public void What_the_server_refuses_is_refused(string text) => FormCheck.Refuses(Form, text);
}
